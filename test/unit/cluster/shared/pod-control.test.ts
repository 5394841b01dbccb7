import { expect } from 'chai'
import type { TypedObject } from '../../../../src/api/meta/object.ts'
import type { EventRecorder } from '../../../../src/cluster/shared/event-recorder.ts'
import { PODS, REPLICA_SETS } from '../../../../src/cluster/shared/kinds.ts'
import { PodControl } from '../../../../src/cluster/shared/pod-control.ts'
import { notFoundError } from '../../../../src/meta/status.ts'
import { FakeApiClient } from '../../../support/fake-api-client.ts'
import { podOf } from '../../../support/scheduling.ts'

describe('control of the pods of a controller', () => {
  const deletions = async (failure: Error): Promise<{ readonly message: string; readonly events: string[] }> => {
    const client = new FakeApiClient()
    client.failures.delete = [failure]
    const events: string[] = []
    const recorder = {
      record: (_kind: unknown, _owner: TypedObject, ...text: string[]) => void events.push(text.join(' ')),
    } as unknown as EventRecorder
    const owner = { kind: 'ReplicaSet', apiVersion: 'apps/v1', metadata: { name: 'web', namespace: 'default' } }
    const error: unknown = await new PodControl(client, recorder).delete(REPLICA_SETS, owner as never, podOf({ name: 'p' })).catch(e => e)
    return { message: error instanceof Error ? error.message : '', events }
  }

  it('words a failed deletion for conditions and for events', async () => {
    expect(await deletions(new Error('refused'))).to.deep.equal({
      message: 'unable to delete pods: refused',
      events: ['Warning FailedDelete Error deleting: refused'],
    })
  })

  it('records no event for a pod that is gone already', async () => {
    expect(await deletions(notFoundError(PODS, 'p'))).to.deep.equal({ message: 'pods "p" not found', events: [] })
  })
})
