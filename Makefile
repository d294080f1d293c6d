# compendio: `make` lists the targets. Needs GNU Make 3.81 or newer and a POSIX shell.

ESTUDO ?= demo
# `data/meu/`, as the shell completes it, is `meu`.
override ESTUDO := $(patsubst data/%,%,$(patsubst %/,%,$(ESTUDO)))
ifneq ($(words $(ESTUDO)),1)
$(error ESTUDO pede o nome de uma pasta de data/, sem espaços, como ESTUDO=meu)
endif
ifneq ($(filter-out ollama respostas,$(MODELO)),)
$(error MODELO=$(MODELO) não existe; use MODELO=ollama ou MODELO=respostas)
endif
# The environment: .venv made from requirements.lock, or with PYTHON=python the one that is active (conda).
ifeq ($(origin PYTHON),undefined)
PY := .venv/bin/python
AMBIENTE := .venv/.pronto
else
PY := $(PYTHON)
AMBIENTE :=
endif
PYTHON3 ?= python3
COMPENDIO := $(PY) -m compendio
FONTES := $(shell find src/compendio -name '*.py')
# Where the models' replies come from: `respostas` (recorded, no model needed) or `ollama`.
origem = $(if $(MODELO),$(MODELO),$(if $(wildcard data/$(1)/respostas.jsonl),respostas,ollama))
CADERNOS := $(foreach n,1-classificacao 2-juri 3-auditoria 4-validacao 5-divergencias 6-blocos,$(if $(wildcard notebooks/$(n).ipynb),$(n)))
todos = $(foreach n,$(CADERNOS),reports/$(1)/execucoes/$(n).ipynb) reports/$(1)/resultados.json
ESTUDOS := demo piloto
PAINEL := reports/painel/execucoes/7-painel-robusto.ipynb

.DEFAULT_GOAL := ajuda
.DELETE_ON_ERROR:
.PHONY: de-novo ajuda ambiente paper analise artigo reproducao test verificar estudo importar-leis exportar-respostas supervisor-pedidos supervisor-ler supervisor-api bench lab clean

ajuda: ## mostra esta lista
	@echo "make ALVO [ESTUDO=nome] [MODELO=ollama|respostas] [PYTHON=python]"; echo
	@grep -hE '^[a-z-]+:.*## ' Makefile | sed -e 's/:.*## /|/' | awk -F'|' '{printf "  %-20s %s\n", $$1, $$2}'

ambiente: $(AMBIENTE) ## cria o ambiente .venv a partir de requirements.lock

.venv/.pronto: requirements.lock pyproject.toml
	@$(PYTHON3) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' || { \
	  echo "O compendio precisa do Python 3.11, 3.12 ou 3.13, e este é o $$($(PYTHON3) --version); instale um deles ou diga qual usar: make PYTHON3=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	$(PYTHON3) -m venv .venv
	.venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

# Each run of a notebook is a file, remade when what it reads changes. The notebooks of a study form a chain.
# Folders stand among the inputs, so that a file deleted, or added with an old date, counts as a change. A round of
# which something was not heard, or that a `limite` cut short, says so in a file, and is run again.
define cadernos
reports/$(1)/execucoes/1-classificacao.ipynb: notebooks/1-classificacao.ipynb $(FONTES) $(wildcard data/$(1)/*.yaml data/$(1)/corpus.* data/$(1)/votos data/$(1)/votos/*.csv data/$(1)/respostas.jsonl) $(if $(wildcard reports/$(1)/rodada-1.incompleta),de-novo) | $(AMBIENTE)
	$(COMPENDIO) executar $$< --destino $$@ -p estudo=$(1) -p modelo=$(call origem,$(1))
reports/$(1)/execucoes/2-juri.ipynb: notebooks/2-juri.ipynb reports/$(1)/execucoes/1-classificacao.ipynb $(if $(wildcard reports/$(1)/rodada-2.incompleta),de-novo)
	$(COMPENDIO) executar $$< --destino $$@ -p estudo=$(1) -p modelo=$(call origem,$(1))
reports/$(1)/execucoes/3-auditoria.ipynb: notebooks/3-auditoria.ipynb reports/$(1)/execucoes/2-juri.ipynb $(wildcard data/$(1)/supervisor data/$(1)/supervisor/*.jsonl data/$(1)/referencia data/$(1)/referencia/*.csv)
	$(COMPENDIO) executar $$< --destino $$@ -p estudo=$(1)
reports/$(1)/execucoes/4-validacao.ipynb: notebooks/4-validacao.ipynb reports/$(1)/execucoes/3-auditoria.ipynb
	$(COMPENDIO) executar $$< --destino $$@ -p estudo=$(1)
reports/$(1)/execucoes/5-divergencias.ipynb: notebooks/5-divergencias.ipynb reports/$(1)/execucoes/3-auditoria.ipynb $(wildcard data/$(1)/codebook data/$(1)/codebook/*.jsonl)
	$(COMPENDIO) executar $$< --destino $$@ -p estudo=$(1)
reports/$(1)/execucoes/6-blocos.ipynb: notebooks/6-blocos.ipynb reports/$(1)/execucoes/3-auditoria.ipynb $(wildcard data/$(1)/modelos.csv)
	$(COMPENDIO) executar $$< --destino $$@ -p estudo=$(1)
reports/$(1)/resultados.json: $(foreach n,$(CADERNOS),reports/$(1)/execucoes/$(n).ipynb)
	$(COMPENDIO) resultados --estudo $(1)
endef
$(foreach e,$(sort $(ESTUDOS) $(ESTUDO)),$(eval $(call cadernos,$(e))))

$(PAINEL): notebooks/7-painel-robusto.ipynb $(wildcard data/painel/*.csv data/painel/*.yaml) $(FONTES) | $(AMBIENTE)
	$(COMPENDIO) executar $< --destino $@

reports/piloto/reproducao.csv: reports/piloto/resultados.json data/piloto/numeros-publicados.yaml
	$(COMPENDIO) reproducao --estudo piloto

reproducao: reports/piloto/reproducao.csv ## compara os números publicados do piloto com os recalculados

reports/piloto/artigo/artigo.pdf: reports/piloto/resultados.json reports/piloto/reproducao.csv $(wildcard paper/*)
	$(COMPENDIO) artigo --estudo piloto

artigo: reports/piloto/artigo/artigo.pdf ## monta o artigo em PDF, DOCX e HTML

paper: $(foreach e,$(ESTUDOS),$(call todos,$(e))) $(PAINEL) reports/piloto/artigo/artigo.pdf ## refaz tudo a partir dos dados embutidos, sem modelo

analise: $(call todos,$(ESTUDO)) ## roda todos os notebooks de um estudo: make analise ESTUDO=meu

test: $(AMBIENTE) ## ruff, mypy, pytest e os notebooks
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	@pasta=$$(mktemp -d) && ln -s "$$PWD/data" "$$pasta/data" && \
	  COMPENDIO_RAIZ="$$pasta" $(PY) -m pytest -p no:cacheprovider --nbval-lax notebooks; fim=$$?; rm -rf "$$pasta"; exit $$fim
	$(PY) -m pytest

verificar: $(AMBIENTE) ## diz o que há e o que falta: Python, Ollama, modelos, memória, disco, estudo
	@$(COMPENDIO) verificar --estudo $(ESTUDO)

estudo: $(AMBIENTE) ## cria um estudo novo: make estudo NOME=meu
	@$(COMPENDIO) estudo "$$NOME"

importar-leis: $(AMBIENTE) ## escreve os dados de leis-br e leis-vivo: make importar-leis ARQUIVO=policy_PT.csv
	@$(COMPENDIO) importar-leis "$$ARQUIVO"

exportar-respostas: $(AMBIENTE) ## grava as respostas dos modelos em data/ESTUDO/respostas.jsonl
	@$(COMPENDIO) exportar-respostas --estudo $(ESTUDO)

supervisor-pedidos: reports/$(ESTUDO)/execucoes/2-juri.ipynb ## escreve os lotes para o supervisor e a auditoria
	@$(COMPENDIO) supervisor-pedidos --estudo $(ESTUDO)

supervisor-ler: reports/$(ESTUDO)/execucoes/2-juri.ipynb ## confere as respostas dos lotes
	@$(COMPENDIO) supervisor-ler --estudo $(ESTUDO)

# Nothing leaves the machine without enviar_textos in the study and the confirmation of this run.
supervisor-api: reports/$(ESTUDO)/execucoes/2-juri.ipynb ## responde por API paga, com CONFIRMAR_ENVIO=sim [LOTE=sim] [REPETIR_FALHAS=sim]
	@$(COMPENDIO) supervisor-api --estudo $(ESTUDO) $(if $(and $(filter command,$(origin CONFIRMAR_ENVIO)),$(filter sim,$(CONFIRMAR_ENVIO))),--confirmar-envio) $(if $(filter sim,$(LOTE)),--lote) $(if $(filter sim,$(REPETIR_FALHAS)),--repetir-falhas)

lab: $(AMBIENTE) ## abre o JupyterLab nos notebooks
	$(PY) -m jupyterlab notebooks

benchmarks/.venv/.pronto: benchmarks/requirements.lock
	$(PYTHON3) -m venv benchmarks/.venv
	benchmarks/.venv/bin/python -m pip install --quiet --no-deps --require-hashes -r benchmarks/requirements-build.lock
	benchmarks/.venv/bin/python -m pip install --quiet --no-deps --no-build-isolation --require-hashes -r benchmarks/requirements.lock
	@touch $@

bench: benchmarks/.venv/.pronto ## compara com outras bibliotecas, lado a lado
	@benchmarks/.venv/bin/python benchmarks/run.py

clean: ## apaga reports/ (o banco de respostas fica)
	rm -rf reports
