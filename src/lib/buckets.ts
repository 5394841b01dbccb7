/** Default upper bounds of histograms in seconds, as in Prometheus' client libraries. */
export const DEFAULT_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Bounds of kube-apiserver for its own requests and those to its store. */
export const REQUEST_BUCKETS = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60]

/** Bounds of kube-apiserver for match conditions. */
export const CONDITION_BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25]

/** Returns `count` bounds, each twice the previous one. */
export const doubled = (first: number, count: number): number[] => Array.from({ length: count }, (_, i) => first * 2 ** i)
