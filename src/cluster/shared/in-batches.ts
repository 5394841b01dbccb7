/** Outcome of `inBatches`. */
export interface BatchOutcome {
  readonly successes: number
  /** First error of the batch with which the calls ended. Undefined if all calls succeeded. */
  readonly error: unknown
}

/**
 * Makes `count` calls in batches of 1, 2, 4 and so on, each batch at once. Stops after a batch in which a call failed,
 * so that a cause that all calls share, such as a quota, makes few calls fail. Corresponds to upstream's
 * slowStartBatch.
 */
export async function inBatches(count: number, call: () => Promise<void>): Promise<BatchOutcome> {
  let successes = 0
  for (let size = Math.min(count, 1); size > 0; size = Math.min(2 * size, count - successes)) {
    const results = await Promise.allSettled(Array.from({ length: size }, call))
    const failed = results.find(result => result.status === 'rejected')
    successes += results.filter(({ status }) => status === 'fulfilled').length
    if (failed) return { successes, error: failed.reason }
  }
  return { successes, error: undefined }
}
