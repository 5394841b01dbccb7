let running = 0

/** Whether a computation of another thread is in progress, such as a signature. It takes longer on a busy machine. */
export const isComputedElsewhere = (): boolean => running > 0

/** Runs a computation of another thread. It counts as work of its caller until it settles. */
export async function computeElsewhere<T>(compute: () => Promise<T>): Promise<T> {
  running++
  try {
    return await compute()
  } finally {
    running--
  }
}
