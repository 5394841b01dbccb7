/**
 * Calls `work` for each item in order, at most `atOnce` at the same time. After a failure no further call is made.
 * Rejects with the first failure once all pending calls have ended, so no work continues after that.
 */
export async function eachAtOnce<T>(items: Iterable<T>, atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  const queue = items[Symbol.iterator]()
  let failure: { readonly reason: unknown } | undefined
  const worker = async (): Promise<void> => {
    for (let next = queue.next(); !next.done && !failure; next = queue.next())
      try {
        await work(next.value)
      } catch (reason) {
        failure ??= { reason }
      }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  if (failure) throw failure.reason
}
