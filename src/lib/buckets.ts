/** Upper bounds of histograms, in seconds. Those of Prometheus' clients where nothing else is said. */
export const DEFAULT_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** kube-apiserver's of requests, its own and those of its store. */
export const REQUEST_BUCKETS = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60]

/** Its of match conditions. */
export const CONDITION_BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25]

/** So many, each twice the one before. */
export const doubled = (first: number, count: number): number[] => Array.from({ length: count }, (_, i) => first * 2 ** i)
