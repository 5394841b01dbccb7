import { CounterFamily } from '../../src/lib/metrics.ts'

/** Counts loans by the condition of the book. */
export class LoanMetrics {
  readonly #loans = new CounterFamily({
    name: 'library_loans_total',
    help: 'Number of loans by the condition of the book.',
    stability: 'ALPHA',
    labels: ['condition'],
  })

  readonly families = [this.#loans]

  lent(condition: string): void {
    this.#loans.child(condition).value++
  }
}
