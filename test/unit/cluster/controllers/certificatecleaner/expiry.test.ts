import { expect } from 'chai'
import type { CertificateSigningRequest } from '../../../../../src/api/certificates/v1.types.ts'
import { cleanupTime } from '../../../../../src/cluster/controllers/certificatecleaner/expiry.ts'

const CREATED = Date.parse('2030-01-01T00:00:00Z')
const HOUR = 3_600_000
const UPDATED = CREATED + HOUR

function hoursUntilCleanup(type?: string, certificateHours?: number): number | undefined {
  const conditions = type === undefined ? [] : [{ type, status: 'True', lastUpdateTime: '2030-01-01T01:00:00Z', lastTransitionTime: null }]
  const request: unknown = { metadata: { creationTimestamp: '2030-01-01T00:00:00Z' }, spec: {}, status: { conditions } }
  const time = cleanupTime(
    request as CertificateSigningRequest,
    certificateHours === undefined ? undefined : UPDATED + certificateHours * HOUR,
  )
  return time === undefined ? undefined : (time - CREATED) / HOUR
}

describe('cleanup of certificate requests', () => {
  const cases: [string, number | undefined, number | undefined][] = [
    ['without a decision, after a day', hoursUntilCleanup(), 24],
    ['denied, after an hour', hoursUntilCleanup('Denied'), 2],
    ['failed, after an hour', hoursUntilCleanup('Failed'), 2],
    ['issued, after an hour', hoursUntilCleanup('Approved', 9), 2],
    ['whose certificate ends earlier, at its end', hoursUntilCleanup('Approved', 0.5), 1.5],
    ['approved without a certificate, never', hoursUntilCleanup('Approved'), undefined],
  ]
  for (const [title, actual, expected] of cases) it(title, () => expect(actual).to.equal(expected))
})
