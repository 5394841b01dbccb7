/**
 * Metrics whose children are looked up once and then cost an addition. prom-client hashes the labels of every observation; these keep a child per label set
 * and are read by prom-client's registry only when it is scraped.
 */
export type Stability = 'ALPHA' | 'BETA' | 'STABLE' | 'INTERNAL'

/** How the figures of several processes behind one port make one: what each counts for itself is added up, what all see alike is taken from one. */
export type Across = 'sum' | 'max'

export interface MetricDeclaration {
  readonly name: string
  readonly help: string
  readonly stability: Stability
  readonly labels: readonly string[]
  /** Absent: `sum`. */
  readonly across?: Across
  /** Optional. Labels that name what a child counts, such as the kind of its objects. `forget` removes children by their values. */
  readonly subject?: readonly string[]
  /** Optional. Whether what the values of `subject` name is still there. If it is not, its children are removed when the family is read. */
  readonly isPresent?: (...subject: string[]) => boolean
}

export type Labels = Readonly<Record<string, string>>

/** One line of the exposition. */
export interface Sample {
  readonly metricName: string
  /** Lines that follow each other may share them. */
  readonly labels: Labels
  /** Of a bucket: its upper bound, a label beside the others. */
  readonly le?: string
  readonly value: number
}

/** What a scrape asks of a family. */
export interface MetricFamily {
  readonly name: string
  /** Without its class, which is printed before it. */
  readonly help: string
  readonly stability: Stability
  readonly type: 'counter' | 'gauge' | 'histogram'
  /** Names of the labels of its samples. */
  readonly labels: readonly string[]
  /** Absent: `sum`. */
  readonly across?: Across
  /** Made one after the other: those of all kinds together may be many megabytes. */
  samples(): Iterable<Sample>
}

/** Label sets beyond this are counted in one child whose labels are all `other`: labels come from requests, and memory is bounded. */
const MAX_CHILDREN = 10_000
const SEPARATOR = '\u0000'

/** The help text of a family: its class and its meaning. */
export const helpOf = ({ stability, help }: Pick<MetricFamily, 'stability' | 'help'>): string => `[${stability}] ${help}`

abstract class Family<Child> implements MetricFamily {
  readonly name: string
  readonly help: string
  readonly stability: Stability
  abstract readonly type: MetricFamily['type']
  readonly across: Across
  readonly labels: readonly string[]
  private readonly children = new Map<string, Child>()
  /** Indexes of the labels of `subject`. */
  private readonly subjectLabels: readonly number[]
  private readonly isPresent: MetricDeclaration['isPresent']
  /** Keys of children by the values of their subject. */
  private readonly bySubject = new Map<string, string[]>()

  constructor(declaration: MetricDeclaration) {
    this.name = declaration.name
    this.help = declaration.help
    this.stability = declaration.stability
    this.labels = declaration.labels
    this.across = declaration.across ?? 'sum'
    this.isPresent = declaration.isPresent
    this.subjectLabels = (declaration.subject ?? []).map(label => declaration.labels.indexOf(label))
  }

  /** The child of these label values, in the order of the declaration. */
  child(...values: string[]): Child {
    // A value with the separator in it would shift those that follow.
    const key = values.some(value => value.includes(SEPARATOR))
      ? values.map(value => value.replaceAll(SEPARATOR, '\uFFFD')).join(SEPARATOR)
      : values.join(SEPARATOR)
    const known = this.children.get(key)
    if (known !== undefined) return known
    if (this.children.size >= MAX_CHILDREN && values.some(value => value !== 'other')) return this.child(...this.labels.map(() => 'other'))
    const made = this.create()
    this.children.set(key, made)
    if (this.subjectLabels.length > 0) this.index(key)
    return made
  }

  /** Removes the children of a subject, whose values are in the order of its declaration. One that is still held elsewhere is counted on, and shown no more. */
  forget(...subject: string[]): void {
    const id = subject.join(SEPARATOR)
    for (const key of this.bySubject.get(id) ?? []) this.children.delete(key)
    this.bySubject.delete(id)
  }

  private index(key: string): void {
    const values = key.split(SEPARATOR)
    const id = this.subjectLabels.map(label => values[label] ?? '').join(SEPARATOR)
    const keys = this.bySubject.get(id)
    if (keys) keys.push(key)
    else this.bySubject.set(id, [key])
  }

  private removeAbsent(isPresent: (...subject: string[]) => boolean): void {
    for (const id of this.bySubject.keys()) {
      const subject = id.split(SEPARATOR)
      if (!subject.every(value => value === 'other') && !isPresent(...subject)) this.forget(...subject)
    }
  }

  *samples(): Generator<Sample, void> {
    if (this.isPresent) this.removeAbsent(this.isPresent)
    for (const [key, child] of this.children) {
      const values = this.labels.length === 0 ? [] : key.split(SEPARATOR)
      const labels: Record<string, string> = {}
      for (let i = 0; i < this.labels.length; i++) labels[this.labels[i] ?? ''] = values[i] ?? ''
      yield* this.read(child, labels)
    }
  }

  protected abstract create(): Child
  protected abstract read(child: Child, labels: Record<string, string>): Iterable<Sample>
}

export interface NumberChild {
  value: number
}

/** Counts, which only grow; one for each set of labels. */
export class CounterFamily extends Family<NumberChild> {
  readonly type = 'counter'
  protected create(): NumberChild {
    return { value: 0 }
  }
  protected read(child: NumberChild, labels: Record<string, string>): Iterable<Sample> {
    return [{ metricName: this.name, labels, value: child.value }]
  }
}

/** Numbers that go up and down; one for each set of labels. */
export class GaugeFamily extends Family<NumberChild> {
  readonly type = 'gauge'
  protected create(): NumberChild {
    return { value: 0 }
  }
  protected read(child: NumberChild, labels: Record<string, string>): Iterable<Sample> {
    return [{ metricName: this.name, labels, value: child.value }]
  }
}

/** A gauge that is asked when it is scraped. */
export class ReadGauge implements MetricFamily {
  readonly name: string
  readonly help: string
  readonly stability: Stability
  readonly type = 'gauge'
  readonly across: Across
  readonly labels: readonly string[]
  private readonly values: () => Iterable<readonly [string, number]>

  /** `values` returns the value of the single label with the number. */
  constructor(declaration: MetricDeclaration, values: () => Iterable<readonly [string, number]>) {
    this.name = declaration.name
    this.help = declaration.help
    this.stability = declaration.stability
    this.labels = declaration.labels
    this.across = declaration.across ?? 'sum'
    this.values = values
  }

  samples(): Sample[] {
    const [name] = this.labels
    return Array.from(this.values(), ([label, value]) => ({ metricName: this.name, labels: name === undefined ? {} : { [name]: label }, value }))
  }
}

/** What was observed for one set of labels: how often, the sum, and how many fell into each bucket (not into those below, which a scrape adds up). */
export class HistogramChild {
  readonly counts: Float64Array
  sum = 0
  count = 0
  private readonly bounds: readonly number[]

  constructor(bounds: readonly number[]) {
    this.bounds = bounds
    this.counts = new Float64Array(bounds.length)
  }

  /** What another with the same bounds has observed. */
  add(other: HistogramChild): void {
    this.sum += other.sum
    this.count += other.count
    for (let i = 0; i < this.counts.length; i++) this.counts[i] = (this.counts[i] ?? 0) + (other.counts[i] ?? 0)
  }

  observe(value: number): void {
    this.sum += value
    this.count++
    const bounds = this.bounds
    for (let i = 0; i < bounds.length; i++) {
      if (value <= (bounds[i] ?? 0)) {
        this.counts[i] = (this.counts[i] ?? 0) + 1
        return
      }
    }
  }
}

/** Distributions; one for each set of labels. `buckets`: upper bounds, ascending, without the infinite one. */
export class HistogramFamily extends Family<HistogramChild> {
  readonly type = 'histogram'
  private readonly bounds: readonly number[]

  constructor(declaration: MetricDeclaration & { readonly buckets: readonly number[] }) {
    super(declaration)
    this.bounds = declaration.buckets
  }

  protected create(): HistogramChild {
    return new HistogramChild(this.bounds)
  }

  protected read(child: HistogramChild, labels: Record<string, string>): Iterable<Sample> {
    return histogramSamples(this.name, this.bounds, child, labels)
  }
}

/** The lines of one child. */
export function histogramSamples(name: string, bounds: readonly number[], child: HistogramChild, labels: Readonly<Record<string, string>>): Sample[] {
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
