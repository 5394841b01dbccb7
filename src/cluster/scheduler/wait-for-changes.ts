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
  { clock, signal, untilChanged }: BindingContext,
  timeoutMs: number,
  overdue: string,
): Promise<void> {
  if (isMet()) return
  let isOver = false
  let end = (): void => {}
  const ended = new Promise<void>(resolve => {
    end = resolve
  })
  const timer = clock.after(timeoutMs, () => {
    isOver = true
    end()
  })
  const stopListening = onAbort(signal, end)
  try {
    for (;;) {
      const changed = Promise.race([...kinds.map(kind => untilChanged(kind)), ended])
      if (isMet()) return
      if (signal.aborted) throw new Error('pod does not exist any more')
      if (isOver) throw new Error(overdue)
      await changed
    }
  } finally {
    timer.close()
    stopListening()
  }
}
