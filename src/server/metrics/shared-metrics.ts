/** One family as prom-client prints it in JSON. */
export interface MetricSnapshot {
  readonly name: string
  readonly help: string
  readonly type: string
  /** How values of several processes are aggregated, by prom-client's names. */
  readonly aggregator: string
  readonly values: readonly {
    readonly value: number
    readonly labels: Readonly<Record<string, string | number>>
    readonly metricName?: string
  }[]
}

/** Metrics of several processes, available from each of them. */
export interface SharedMetrics {
  /** Registers the function that collects the metrics of this process. */
  offer(collect: () => Promise<readonly MetricSnapshot[]>): void
  /** Returns the exposition of all processes. Rejects if the primary does not respond in time. */
  gather(): Promise<string>
}
