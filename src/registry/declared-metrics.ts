import type { Logger } from '../lib/log.ts'
import { CounterFamily, type MetricFamily } from '../lib/metrics.ts'
import type { DeclaredObserver } from '../schema/declared-rules.ts'

/**
 * Counts and logs differences between declarative and hand-written validation. Source: pkg/validation in
 * k8s.io/apiserver.
 */
export class DeclaredValidationMetrics implements DeclaredObserver {
  readonly #mismatches = new CounterFamily({
    name: 'apiserver_validation_declarative_validation_mismatch_total',
    help: 'Number of times declarative validation results differed from handwritten validation results for core types.',
    stability: 'BETA',
    labels: [],
  })
  readonly #panics = new CounterFamily({
    name: 'apiserver_validation_declarative_validation_panic_total',
    help: 'Number of times declarative validation has panicked during validation.',
    stability: 'BETA',
    labels: [],
  })
  readonly #mismatchesOf = new CounterFamily({
    name: 'apiserver_validation_declarative_validation_parity_discrepancies_total',
    help: 'Number of discrepancies between declarative and handwritten validation, broken down by validation identifier.',
    stability: 'ALPHA',
    labels: ['validation_identifier'],
  })
  readonly #panicsOf = new CounterFamily({
    name: 'apiserver_validation_declarative_validation_panics_total',
    help: 'Number of panics in declarative validation, broken down by validation identifier.',
    stability: 'ALPHA',
    labels: ['validation_identifier'],
  })
  readonly #logger: Logger

  constructor(logger: Logger) {
    this.#logger = logger
    for (const family of [this.#mismatches, this.#panics]) family.child()
  }

  families(): MetricFamily[] {
    return [this.#mismatches, this.#panics, this.#mismatchesOf, this.#panicsOf]
  }

  mismatch(detail: string, identifier: string): void {
    this.#mismatchesOf.child(identifier).value++
    this.#mismatches.child().value++
    this.#logger.error(detail)
  }

  panic(detail: string, identifier: string): void {
    this.#panicsOf.child(identifier).value++
    this.#panics.child().value++
    this.#logger.error(detail)
  }
}
