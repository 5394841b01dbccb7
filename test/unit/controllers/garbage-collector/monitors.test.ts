import { expect } from 'chai'
import { OwnerGraph } from '../../../../src/controllers/garbage-collector/graph.ts'
import { Monitors } from '../../../../src/controllers/garbage-collector/monitors.ts'
import { WorkQueues } from '../../../../src/controllers/work-queues.ts'
import type { TimerClock } from '../../../../src/lib/clock.ts'
import { SerialSteps } from '../../../../src/lib/serial-steps.ts'
import type { Steps } from '../../../../src/lib/steps.ts'
import { builtinRegistry, controllerEnvironment } from '../../../support/builtin-registry.ts'
import { turns } from '../../../support/waiting.ts'

describe('Monitors', () => {
  it('are settled only when a change that takes long has ended', async () => {
    let now = 0
    /** Pauses end in the next turn, however long they are. */
    const pauses: TimerClock = {
      now: () => now,
      steady: { now: () => now },
      after(ms, then) {
        const timer = setImmediate(() => {
          now += ms
          then()
        })
        return { close: () => clearImmediate(timer) }
      },
    }
    const t = builtinRegistry()
    const env = { ...controllerEnvironment(t), queues: new WorkQueues(pauses) }
    const changes = new SerialSteps()
    const graph = new OwnerGraph({ examine: () => {}, orphan: () => {}, invalidNamespace: () => {} })
    const monitors = new Monitors(env, t.catalog, graph, changes, new AbortController().signal)
    let isReleased = false
    const changed = changes.run(
      (function* (): Steps<string> {
        while (!isReleased) yield
        return 'changed'
      })(),
    )
    let isSettled = false
    const settled = monitors.settled().then(() => {
      isSettled = true
    })
    await turns(20)
    expect(isSettled).to.equal(false)
    isReleased = true
    await settled
    expect(await changed).to.equal('changed')
  })
})
