import type { TypedObject } from '../../api/meta/object.ts'
import type { ResourceKind } from '../../clients/api-client.ts'
import { onAbort } from '../../lib/on-abort.ts'
import type { BindingContext } from './framework.ts'

/**
 * Waits for a condition that changes of objects bring about. Rejects when the time is over or the signal aborts. @param
 * isMet may throw, which ends the wait
 */
export async function untilMet(
  isMet: () => boolean,
  kinds: readonly ResourceKind<TypedObject>[],
  { clock, signal, onChange }: BindingContext,
  timeoutMs: number,
  overdue: string,
): Promise<void> {
  if (isMet()) return
  let isOver = false
  let wake = (): void => {}
  const timer = clock.after(timeoutMs, () => {
    isOver = true
    wake()
  })
  const listeners = [onAbort(signal, () => wake()), ...kinds.map(kind => onChange(kind, () => wake()))]
  try {
    for (;;) {
      const woken = new Promise<void>(resolve => {
        wake = resolve
      })
      if (isMet()) return
      if (signal.aborted) throw new Error('pod does not exist any more')
      if (isOver) throw new Error(overdue)
      await woken
    }
  } finally {
    timer.close()
    for (const stopListening of listeners) stopListening()
  }
}
