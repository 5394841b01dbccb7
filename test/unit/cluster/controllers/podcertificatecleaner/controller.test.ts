import { expect } from 'chai'
import type { PodCertificateRequest } from '../../../../../src/api/certificates/v1.types.ts'
import { podCertificateCleaner } from '../../../../../src/cluster/controllers/podcertificatecleaner/controller.ts'
import { POD_CERTIFICATE_REQUESTS } from '../../../../../src/cluster/shared/kinds.ts'
import { clusterEnvironment } from '../../../../support/cluster-environment.ts'
import { FakeApiClient } from '../../../../support/fake-api-client.ts'
import { featuresIn } from '../../../../support/hook-context.ts'
import { SteppedClock } from '../../../../support/stepped-clock.ts'

const START = Date.parse('2030-01-01T00:10:00Z')
const [KIND] = POD_CERTIFICATE_REQUESTS

describe('cleaner of pod certificate requests', () => {
  it('deletes requests after fifteen minutes, if the release has them', async () => {
    for (const isOn of [true, false]) {
      const ended = new AbortController()
      const [client, clock] = [new FakeApiClient(), new SteppedClock(START)]
      const request: unknown = {
        kind: 'PodCertificateRequest',
        metadata: { name: 'r', namespace: 'default', creationTimestamp: '2030-01-01T00:00:00Z' },
      }
      if (KIND) await client.create(KIND, request as PodCertificateRequest)
      void podCertificateCleaner(
        clusterEnvironment(client, clock, ended.signal, featuresIn('1.35', { PodCertificateRequest: isOn })),
        ended.signal,
      )
      const deletions = (): string[] => client.calls.filter(call => call.startsWith('delete'))
      await clock.advance(299_000)
      expect(deletions()).to.deep.equal([])
      await clock.advance(1000)
      expect(deletions()).to.deep.equal(isOn ? ['delete podcertificaterequests r'] : [])
      ended.abort()
    }
  })
})
