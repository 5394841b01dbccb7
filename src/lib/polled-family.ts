import type { MetricDeclaration, MetricFamily, Sample, Stability } from './metrics.ts'

/** Label values in declared order, and the value of the metric. */
export type Polled = readonly [labels: readonly string[], value: number]

/** A family whose values are plain fields elsewhere, read when it is scraped. */
export class PolledFamily implements MetricFamily {
  readonly name: string
  readonly help: string
  readonly stability: Stability
  readonly type: 'counter' | 'gauge'
  /** How the values of several processes are combined. */
  readonly across: 'sum' | 'max'
  readonly labels: readonly string[]
  readonly #values: () => Iterable<Polled>

  constructor(
    type: 'counter' | 'gauge',
    declaration: MetricDeclaration & { readonly across?: 'sum' | 'max' },
    values: () => Iterable<Polled>,
  ) {
    this.name = declaration.name
    this.help = declaration.help
    this.stability = declaration.stability
    this.type = type
    this.across = declaration.across ?? 'sum'
    this.labels = declaration.labels
    this.#values = values
  }

  samples(): Sample[] {
    return Array.from(this.#values(), ([values, value]) => {
      const labels: Record<string, string> = {}
      for (let i = 0; i < this.labels.length; i++) labels[this.labels[i] ?? ''] = values[i] ?? ''
      return { metricName: this.name, labels, value }
    })
  }
}
