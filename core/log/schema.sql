-- One library. `event` is the truth and only ever grows; `case_list` and `case_text` are computed from it.

create table event (
    seq      integer primary key,  -- 1, 2, 3 ... over the whole library, no gap
    case_id  text,                 -- null for facts about the library itself (opened, exported, backed up, erased)
    at       text not null,        -- UTC, ISO 8601
    kind     text not null,
    body     text,                 -- JSON of one core.log.events.Event; null after the case was erased
    body_mac text not null,        -- keyed digest of the body
    chain    text not null         -- keyed digest over the chain value before it, case_id, at, kind, body_mac
) strict;

create index event_of_case on event (case_id, seq);
create index event_of_kind on event (kind, seq) where case_id is null;

create trigger event_follows before insert on event
when new.seq is not (select coalesce(max(seq), 0) + 1 from event)
begin
    select raise(abort, 'events are only added at the end');
end;

create trigger event_stays before delete on event
begin
    select raise(abort, 'events are never removed');
end;

create trigger event_keeps before update on event
when not (
    new.body is null
    and new.seq is old.seq and new.case_id is old.case_id and new.at is old.at and new.kind is old.kind
    and new.body_mac is old.body_mac and new.chain is old.chain
    and exists (
        select 1 from event as erasure
        where erasure.case_id is null and erasure.kind = 'CaseErased'
        and json_valid(erasure.body) and erasure.body ->> '$.case_id' = old.case_id
    )
)
begin
    select raise(abort, 'events are never changed');
end;

-- Where the log ends, so that a cut-off tail is noticed. One row.
create table head (
    only  integer primary key check (only = 1),
    count integer not null,        -- number of events
    chain text not null,           -- chain value of the last event
    mac   text not null            -- keyed digest over count and chain
) strict;
