# Everything a developer types. `make review` is the shortest way to see what this program does.
PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin
MODEL ?= qwen2.5-coder-1.5b
SCORER := minilm-l6-int8
CASE ?= desktop/resources/sample_case.txt
OUT ?= out/review

# Source build of the engine: GCC 12.2 (Debian 12) drops stores before `ldtilecfg`, so llama.cpp crashes on processors with AMX.
# Where the compiler knows AMX, it is left out.
AMX_OFF := $(shell $${CXX:-c++} -mno-amx-tile -x c++ -E /dev/null >/dev/null 2>&1 && echo -mno-amx-tile -mno-amx-int8 -mno-amx-bf16)
export CXXFLAGS += $(AMX_OFF)

.PHONY: setup review app test check bench bench-cara bench-referee bench-rules lock clean

setup: $(VENV)/.ready  ## virtual environment with locked dependencies

$(VENV)/.ready: requirements.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(RUN)/python -m pip install --quiet --require-hashes -r requirements.lock
	$(RUN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	touch $@

review: setup  ## the sample case through the whole panel, with the trial model
	$(RUN)/python -m models.fetch $(MODEL) $(SCORER)
	$(RUN)/ground-rounds review $(CASE) --model $(MODEL) --out $(OUT) $(ARGS) || test $$? -eq 3  # 3: withheld, as it should be

app: setup  ## the window
	$(RUN)/python -m models.fetch $(MODEL) $(SCORER)
	$(RUN)/ground-rounds

test: setup check  ## style, types, structure and all tests
	$(RUN)/python -m models.fetch smollm2-135m $(SCORER)
	QT_QPA_PLATFORM=offscreen $(RUN)/python -m pytest

check: setup
	$(RUN)/ruff check .
	$(RUN)/ruff format --check .
	$(RUN)/mypy
	$(RUN)/lint-imports --no-cache

bench: setup  ## ratios measured side by side; not part of the tests
	$(RUN)/python -m models.fetch smollm2-135m
	$(RUN)/python -m tests.bench.engine $(ARGS)

bench-cara: setup  ## what the installed scorer finds; DATA=folder with the labelled public sets
	$(RUN)/python -m models.fetch $(SCORER)
	$(RUN)/python -m tests.bench.cara $(if $(DATA),--data $(DATA)) $(ARGS)

bench-rules: setup  ## what the can't-miss rules find in made-up vignettes
	$(RUN)/python -m tests.bench.rules

bench-referee: setup  ## what the referee finds on scripted panels; MODEL=id: also how far that model follows wrong peers
	$(if $(filter command environment,$(origin MODEL)),$(RUN)/python -m models.fetch $(MODEL))
	$(RUN)/python -m tests.bench.referee $(if $(filter command environment,$(origin MODEL)),--model $(MODEL)) $(ARGS)

lock: setup  ## resolve the dependencies anew
	$(RUN)/pip-compile --quiet --extra dev --generate-hashes --allow-unsafe --strip-extras \
		--no-emit-index-url --no-emit-find-links --no-emit-trusted-host --output-file requirements.lock pyproject.toml

clean:
	rm -rf $(VENV) out build *.egg-info
