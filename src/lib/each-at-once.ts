/**
 * Works on every item, in order, on at most `atOnce` of them at the same time. Once the work on one has failed, no other is begun; rejects with the first failure when all work that was begun
 * has ended, so that nothing goes on behind its caller's back.
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
