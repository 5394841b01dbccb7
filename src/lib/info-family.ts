import type { Labels, MetricFamily, Sample } from './metrics.ts'

/** States in labels what is in force; the value is 1. */
export class InfoFamily implements MetricFamily {
  readonly name: string
  readonly help: string
  readonly stability = 'ALPHA'
  readonly type = 'gauge'
  readonly across = 'max'
  readonly #labels = new Map<string, Labels>()

  constructor(name: string, help: string) {
    this.name = name
    this.help = help
  }

  /** `key`: which of several it is. */
  set(key: string, labels: Labels): void {
    this.#labels.set(key, labels)
  }

  delete(key: string): void {
    this.#labels.delete(key)
  }

  samples(): Sample[] {
    return [...this.#labels.values()].map(labels => ({ metricName: this.name, labels, value: 1 }))
  }
}
