-- Computed from `event`; may be dropped at any time and is made again.

create table case_list (
    case_id        text primary key,
    title          text not null,
    opened_at      text not null,     -- UTC, ISO 8601
    state          text not null,     -- one of core.log.catalog.CaseState
    finished_calls integer not null
) strict;

create virtual table case_text using fts5 (
    case_id unindexed,
    text,                             -- title and vignette, or one note
    tokenize = 'unicode61 remove_diacritics 2'
);

-- What is deleted from the index really leaves it.
insert into case_text (case_text, rank) values ('secure-delete', 1);
