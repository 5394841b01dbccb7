import { expect } from 'chai'
import type { Event } from '../../../../src/api/core/v1.types.ts'
import type { ApiClient } from '../../../../src/clients/api-client.ts'
import { EventNames, writeEvent } from '../../../../src/cluster/shared/event-writing.ts'
import { EVENTS } from '../../../../src/cluster/shared/kinds.ts'
import { failure } from '../../../../src/meta/status.ts'

const clock = { now: () => 1_700_000_000_000 }

describe('the names of events', () => {
  it('have the time in nanoseconds, and differ within a millisecond', () => {
    const names = new EventNames(clock)
    const time = 1_700_000_000_000n * 1_000_000n
    expect([names.next('p'), names.next('p')]).to.deep.equal([`p.${time.toString(16)}`, `p.${(time + 1n).toString(16)}`])
  })

  it('differ between recorders with different offsets', () => {
    expect(new EventNames(clock, 7).next('p')).to.not.equal(new EventNames(clock, 8).next('p'))
  })
})

describe('writing an event', () => {
  const event = { metadata: { namespace: 'default', name: 'p.1' } } as Event

  /** Returns the verbs that are called if a patch fails for a reason. */
  async function verbsOf(patch: { count: number } | undefined, reason?: string): Promise<string[]> {
    const verbs: string[] = []
    const client = {
      create: async () => void verbs.push('create'),
      patch: async () => {
        verbs.push('patch')
        if (reason !== undefined) throw failure(400, reason, 'rejected')
      },
    } as unknown as ApiClient
    await writeEvent(client, EVENTS, event, patch).catch((error: unknown) => verbs.push(String(error)))
    return verbs
  }

  it('creates a new event, and patches an earlier one', async () => {
    expect(await verbsOf(undefined)).to.deep.equal(['create'])
    expect(await verbsOf({ count: 2 })).to.deep.equal(['patch'])
  })

  it('creates the event again if the earlier one has expired', async () => {
    expect(await verbsOf({ count: 2 }, 'NotFound')).to.deep.equal(['patch', 'create'])
  })

  it('rejects if the patch fails for another reason', async () => {
    expect(await verbsOf({ count: 2 }, 'Forbidden')).to.deep.equal(['patch', 'StatusError: rejected'])
  })
})
