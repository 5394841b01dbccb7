import { type Across, HistogramChild, histogramSamples, type MetricDeclaration, type MetricFamily, type Sample } from '../lib/metrics.ts'

const NANOSECONDS = 1e6

/** Histogram of a changing value over a limit, weighted by nanoseconds. */
export class TimingRatio {
  /** Histogram as of the last change. `flush` brings it up to date. */
  readonly histogram: HistogramChild
  readonly #bounds: readonly number[]
  readonly #now: () => number
  #numerator = 0
  #denominator = 1
  #ratio = 0
  #changedAt: number

  /** `now`: clock in milliseconds. */
  constructor(bounds: readonly number[], now: () => number) {
    this.#bounds = bounds
    this.histogram = new HistogramChild(bounds)
    this.#now = now
    this.#changedAt = now()
  }

  /** `at`: the current time, if the caller knows it. */
  set(numerator: number, at = this.#now()): void {
    this.#advance(at)
    this.#numerator = numerator
    this.#ratio = numerator / this.#denominator
  }

  /** Changes the limit. The value before counts with the old one. */
  setDenominator(denominator: number): void {
    this.#advance(this.#now())
    this.#denominator = denominator
    this.#ratio = this.#numerator / denominator
  }

  /** Returns the histogram, updated to the current time. */
  flush(): HistogramChild {
    this.#advance(this.#now())
    return this.histogram
  }

  /** Adds the ratio to the histogram once for each nanosecond since the last change, as upstream's observations. */
  #advance(at: number): void {
    const nanoseconds = Math.round((at - this.#changedAt) * NANOSECONDS)
    if (nanoseconds <= 0) return
    this.#changedAt = at
    const { histogram } = this
    const bounds = this.#bounds
    const ratio = this.#ratio
    histogram.sum += ratio * nanoseconds
    histogram.count += nanoseconds
    for (let i = 0; i < bounds.length; i++) {
      if (ratio > (bounds[i] ?? 0)) continue
      histogram.counts[i] = (histogram.counts[i] ?? 0) + nanoseconds
      return
    }
  }
}

/** `buckets`: upper bounds of the ratio. Sums and counts are in nanoseconds. */
export interface TimingDeclaration extends MetricDeclaration {
  /** Upper bounds, ascending. */
  readonly buckets: readonly number[]
  /** Labels with a constant value. */
  readonly constant?: Readonly<Record<string, string>>
}

/**
 * Timing ratios by label values. They are created together with the levels that they measure, so their number is small.
 */
export class TimingRatioFamily implements MetricFamily {
  readonly name: string
  readonly help: string
  readonly stability: MetricFamily['stability']
  readonly type = 'histogram'
  readonly across: Across = 'sum'
  readonly labels: readonly string[]
  readonly #declaration: TimingDeclaration
  readonly #now: () => number
  readonly #children = new Map<string, { readonly labels: Readonly<Record<string, string>>; readonly ratio: TimingRatio }>()

  constructor(declaration: TimingDeclaration, now: () => number) {
    this.#declaration = declaration
    this.labels = [...Object.keys(declaration.constant ?? {}), ...declaration.labels]
    this.name = declaration.name
    this.help = declaration.help
    this.stability = declaration.stability
    this.#now = now
  }

  /** Returns the ratio of these label values, in the order of the declaration. */
  child(...values: string[]): TimingRatio {
    const key = values.join('\0')
    const known = this.#children.get(key)
    if (known) return known.ratio
    const { labels, constant, buckets } = this.#declaration
    const ratio = new TimingRatio(buckets, this.#now)
    this.#children.set(key, { labels: { ...constant, ...Object.fromEntries(labels.map((label, i) => [label, values[i] ?? ''])) }, ratio })
    return ratio
  }

  /** Brings each ratio up to date before it is exposed. */
  *samples(): Generator<Sample, void> {
    for (const { labels, ratio } of this.#children.values())
      yield* histogramSamples(this.name, this.#declaration.buckets, ratio.flush(), labels)
  }
}
