import type { MetricFamily, MetricLabels, Sample } from './metrics.ts'

/** A gauge with the value 1 whose labels describe the current configuration. */
export class InfoFamily implements MetricFamily {
  /** Name in the exposition. */
  readonly name: string
  readonly help: string
  readonly stability = 'ALPHA'
  readonly type = 'gauge'
  readonly across = 'max'
  readonly labels: readonly string[]
  readonly #values = new Map<string, MetricLabels>()

  constructor(name: string, help: string, labels: readonly string[]) {
    this.name = name
    this.help = help
    this.labels = labels
  }

  /** Sets the labels of the child with this key. */
  set(key: string, labels: MetricLabels): void {
    this.#values.set(key, labels)
  }

  /** Removes the child with this key. */
  delete(key: string): void {
    this.#values.delete(key)
  }

  samples(): Sample[] {
    return [...this.#values.values()].map(labels => ({ metricName: this.name, labels, value: 1 }))
  }
}
