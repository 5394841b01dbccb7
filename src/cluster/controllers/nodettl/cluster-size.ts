/**
 * Time for which kubelets may cache Secrets and ConfigMaps, by the number of nodes. Ranges overlap, so that a cluster
 * at a bound does not change all the time.
 */
const STEPS = [
  { least: 0, most: 100, seconds: 0 },
  { least: 90, most: 500, seconds: 15 },
  { least: 450, most: 1000, seconds: 30 },
  { least: 900, most: 2000, seconds: 60 },
  { least: 1800, most: Number.POSITIVE_INFINITY, seconds: 300 },
] as const

/** Follows the number of nodes. Corresponds to upstream's ttl controller. */
export class ClusterSize {
  #nodes: number
  #step: number

  constructor(nodes = 0, step = 0) {
    this.#nodes = nodes
    this.#step = step
  }

  /** Time for the present number of nodes, in seconds. */
  get seconds(): number {
    return STEPS[this.#step]?.seconds ?? 0
  }

  added(): void {
    this.#nodes++
    if (this.#nodes > (STEPS[this.#step]?.most ?? 0)) this.#step++
  }

  deleted(): void {
    this.#nodes--
    if (this.#nodes < (STEPS[this.#step]?.least ?? 0)) this.#step--
  }
}
