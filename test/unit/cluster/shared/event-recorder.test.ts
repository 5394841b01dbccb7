import { expect } from 'chai'
import type { Event } from '../../../../src/api/core/v1.types.ts'
import type { ApiClient } from '../../../../src/clients/api-client.ts'
import { EventRecorder } from '../../../../src/cluster/shared/event-recorder.ts'
import { PODS } from '../../../../src/cluster/shared/kinds.ts'
import { WorkQueues } from '../../../../src/controllers/work-queues.ts'
import { systemClock } from '../../../../src/lib/clock.ts'
import { silentLogger } from '../../../../src/lib/log.ts'
import { countedTurns } from '../../../support/counted-turns.ts'
import { podOf } from '../../../support/scheduling.ts'

describe('the recorder of events', () => {
  it('drops many events of one object in turns', async () => {
    const written: (string | undefined)[] = []
    const client = {
      create: async (_kind: unknown, { message }: Event) => void written.push(message),
      patch: async (_kind: unknown, _name: unknown, { message }: Event) => void written.push(message),
    } as unknown as ApiClient
    const abort = new AbortController()
    let decided = 0
    const turns = await countedTurns(async time => {
      // The clock is read once for an event that is recorded, and once when it is decided what to do with it.
      const clock = { ...systemClock, now: () => 0 }
      const meter = new WorkQueues().meter('events')
      const recorder = new EventRecorder({ component: 'c', client, clock, logger: silentLogger, meter, signal: abort.signal })
      for (let i = 0; i < 300; i++) recorder.record(PODS, podOf({ name: 'p' }), 'Normal', 'Pulled', `message ${i}`)
      clock.now = () => {
        decided++
        time.pass(1)
        return 0
      }
      while (decided < 300) await new Promise(setImmediate)
    })
    abort.abort()
    expect(turns).to.be.at.least(30)
    expect(written).to.have.length(25)
  })
})
