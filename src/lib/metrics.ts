/**
 * Metric families whose children are looked up once; an observation is then an addition. prom-client would hash the
 * labels of every observation. Its registry reads these families only when they are scraped.
 */
export type Stability = 'ALPHA' | 'BETA' | 'STABLE' | 'INTERNAL'

/**
 * How the values of several processes behind one port are combined: `sum` for what each process counts, `max` for what
 * all of them observe.
 */
export type Across = 'sum' | 'max'

/** Declaration of a metric family. */
export interface MetricDeclaration {
  readonly name: string
  /** Meaning, in the words of kube-apiserver if it has the metric. */
  readonly help: string
  /** Stability class, which the help text shows. */
  readonly stability: Stability
  /** Label names, in the order in which `child` takes their values. */
  readonly labels: readonly string[]
  /** Optional. Default: `sum`. */
  readonly across?: Across
  /**
   * Optional. Labels that identify what a child counts, such as the kind of its objects. `forget` removes children by
   * their values.
   */
  readonly subject?: readonly string[]
  /**
   * Optional. Whether the subject with these label values still exists. If not, its children are removed when the
   * family is read.
   */
  readonly isPresent?: (...subject: string[]) => boolean
}

/** Label values by name. */
export type MetricLabels = Readonly<Record<string, string>>

/** One line of the exposition format. */
export interface Sample {
  readonly metricName: string
  /** Consecutive lines may share the object. */
  readonly labels: MetricLabels
  /** Upper bound of a bucket, as an additional label. */
  readonly le?: string
  readonly value: number
}

/** A metric family as the registry reads it. */
export interface MetricFamily {
  readonly name: string
  /** Help text without the stability class, which is printed before it. */
  readonly help: string
  readonly stability: Stability
  readonly type: 'counter' | 'gauge' | 'histogram'
  /** Label names of the samples. */
  readonly labels: readonly string[]
  /** Optional. Default: `sum`. */
  readonly across?: Across
  /** Produced one by one, because the samples of all families can be many megabytes. */
  samples(): Iterable<Sample>
}

/**
 * Limit on the children of a family. Label values come from requests, so further ones are counted in a child whose
 * labels are all `other`.
 */
const MAX_CHILDREN = 10_000
/** Separates the label values in the key of a child. */
const SEPARATOR = '\u0000'

/** Returns the help text of a family: its stability class and its meaning. */
export const helpOf = ({ stability, help }: Pick<MetricFamily, 'stability' | 'help'>): string => `[${stability}] ${help}`

/** A family whose children are created on first use and kept until they are forgotten. */
abstract class Family<Child> implements MetricFamily {
  readonly name: string
  readonly help: string
  readonly stability: Stability
  abstract readonly type: MetricFamily['type']
  readonly across: Across
  readonly labels: readonly string[]
  readonly #children = new Map<string, Child>()
  /** Indexes of the labels of `subject`. */
  readonly #subjectLabels: readonly number[]
  readonly #isPresent: MetricDeclaration['isPresent']
  /** Keys of children by the label values of their subject. */
  readonly #bySubject = new Map<string, string[]>()

  constructor(declaration: MetricDeclaration) {
    this.name = declaration.name
    this.help = declaration.help
    this.stability = declaration.stability
    this.labels = declaration.labels
    this.across = declaration.across ?? 'sum'
    this.#isPresent = declaration.isPresent
    this.#subjectLabels = (declaration.subject ?? []).map(label => declaration.labels.indexOf(label))
  }

  /** Returns the child with these label values, which are in the order of the declaration. */
  child(...values: string[]): Child {
    // A separator within a value would shift the values after it.
    const key = values.some(value => value.includes(SEPARATOR))
      ? values.map(value => value.replaceAll(SEPARATOR, '\uFFFD')).join(SEPARATOR)
      : values.join(SEPARATOR)
    const known = this.#children.get(key)
    if (known !== undefined) return known
    if (this.#children.size >= MAX_CHILDREN && values.some(value => value !== 'other')) return this.child(...this.labels.map(() => 'other'))
    const made = this.create()
    this.#children.set(key, made)
    if (this.#subjectLabels.length > 0) this.#index(key)
    return made
  }

  /**
   * Removes the children of a subject, given by its label values in declared order. A child that a caller still holds
   * can be incremented, but is no longer exposed.
   */
  forget(...subject: string[]): void {
    const id = subject.join(SEPARATOR)
    for (const key of this.#bySubject.get(id) ?? []) this.#children.delete(key)
    this.#bySubject.delete(id)
  }

  /** Registers a child under its subject. */
  #index(key: string): void {
    const values = key.split(SEPARATOR)
    const id = this.#subjectLabels.map(label => values[label] ?? '').join(SEPARATOR)
    const keys = this.#bySubject.get(id)
    if (keys) keys.push(key)
    else this.#bySubject.set(id, [key])
  }

  /** Removes the children of subjects that no longer exist. The child for all other labels stays. */
  #removeAbsent(isPresent: (...subject: string[]) => boolean): void {
    for (const id of this.#bySubject.keys()) {
      const subject = id.split(SEPARATOR)
      if (!subject.every(value => value === 'other') && !isPresent(...subject)) this.forget(...subject)
    }
  }

  /** Yields the samples of each child, in the order in which children were created. */
  *samples(): Generator<Sample, void> {
    if (this.#isPresent) this.#removeAbsent(this.#isPresent)
    for (const [key, child] of this.#children) {
      const values = this.labels.length === 0 ? [] : key.split(SEPARATOR)
      const labels: Record<string, string> = {}
      for (let i = 0; i < this.labels.length; i++) labels[this.labels[i] ?? ''] = values[i] ?? ''
      yield* this.read(child, labels)
    }
  }

  protected abstract create(): Child
  protected abstract read(child: Child, labels: Record<string, string>): Iterable<Sample>
}

/** Value of a counter or gauge for one set of labels. Callers that hold a child change `value` directly. */
export interface NumberChild {
  /** Current value. Counters only grow. */
  value: number
}

/** Counters, one for each set of labels. */
export class CounterFamily extends Family<NumberChild> {
  readonly type = 'counter'
  protected create(): NumberChild {
    return { value: 0 }
  }
  protected read(child: NumberChild, labels: Record<string, string>): Iterable<Sample> {
    return [{ metricName: this.name, labels, value: child.value }]
  }
}

/** Gauges, one for each set of labels. */
export class GaugeFamily extends Family<NumberChild> {
  readonly type = 'gauge'
  protected create(): NumberChild {
    return { value: 0 }
  }
  protected read(child: NumberChild, labels: Record<string, string>): Iterable<Sample> {
    return [{ metricName: this.name, labels, value: child.value }]
  }
}

/** A gauge that is read when it is scraped. */
export class ReadGauge implements MetricFamily {
  readonly name: string
  readonly help: string
  readonly stability: Stability
  readonly type = 'gauge'
  readonly across: Across
  readonly labels: readonly string[]
  readonly #values: () => Iterable<readonly [string, number]>

  /** `values`: returns the values of the single label with their numbers. */
  constructor(declaration: MetricDeclaration, values: () => Iterable<readonly [string, number]>) {
    this.name = declaration.name
    this.help = declaration.help
    this.stability = declaration.stability
    this.labels = declaration.labels
    this.across = declaration.across ?? 'sum'
    this.#values = values
  }

  samples(): Sample[] {
    const [name] = this.labels
    return Array.from(this.#values(), ([label, value]) => ({
      metricName: this.name,
      labels: name === undefined ? {} : { [name]: label },
      value,
    }))
  }
}

/**
 * Observations with one set of labels: their count, their sum, and the number in each bucket. Buckets are not
 * cumulative; a scrape adds them up.
 */
export class HistogramChild {
  /** Number of observations in each bucket. Those above the highest bound are in none. */
  readonly counts: Float64Array
  sum = 0
  count = 0
  readonly #bounds: readonly number[]

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.counts = new Float64Array(bounds.length)
  }

  /** Adds the observations of another child with the same bounds. */
  add(other: HistogramChild): void {
    this.sum += other.sum
    this.count += other.count
    for (let i = 0; i < this.counts.length; i++) this.counts[i] = (this.counts[i] ?? 0) + (other.counts[i] ?? 0)
  }

  /** Counts an observation in the first bucket whose bound is not less than it. */
  observe(value: number): void {
    this.sum += value
    this.count++
    const bounds = this.#bounds
    for (let i = 0; i < bounds.length; i++) {
      if (value <= (bounds[i] ?? 0)) {
        this.counts[i] = (this.counts[i] ?? 0) + 1
        return
      }
    }
  }
}

/** Histograms, one for each set of labels. `buckets`: upper bounds in ascending order, without the infinite one. */
export class HistogramFamily extends Family<HistogramChild> {
  readonly type = 'histogram'
  readonly #bounds: readonly number[]

  constructor(declaration: MetricDeclaration & { readonly buckets: readonly number[] }) {
    super(declaration)
    this.#bounds = declaration.buckets
  }

  protected create(): HistogramChild {
    return new HistogramChild(this.#bounds)
  }

  protected read(child: HistogramChild, labels: Record<string, string>): Iterable<Sample> {
    return histogramSamples(this.name, this.#bounds, child, labels)
  }
}

/** Returns the lines of one child. */
export function histogramSamples(
  name: string,
  bounds: readonly number[],
  child: HistogramChild,
  labels: Readonly<Record<string, string>>,
): Sample[] {
  let total = 0
  const metricName = `${name}_bucket`
  const samples: Sample[] = bounds.map((bound, i) => {
    total += child.counts[i] ?? 0
    return { metricName, labels, le: String(bound), value: total }
  })
  samples.push(
    { metricName, labels, le: '+Inf', value: child.count },
    { metricName: `${name}_sum`, labels, value: child.sum },
    { metricName: `${name}_count`, labels, value: child.count },
  )
  return samples
}
