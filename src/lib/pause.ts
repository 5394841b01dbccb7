import { onAbort } from './on-abort.ts'

/** Resolves after the time with true, or as soon as the signal aborts with false. Keeps no process alive. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<boolean> {
  return new Promise(resolve => {
    if (signal.aborted) return resolve(false)
    const release = onAbort(signal, () => {
      clearTimeout(timer)
      release()
      resolve(false)
    })
    const timer = setTimeout(() => {
      release()
      resolve(true)
    }, milliseconds)
    timer.unref()
  })
}
