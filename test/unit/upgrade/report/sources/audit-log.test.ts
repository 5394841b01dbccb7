import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { auditFindings } from '../../../../../src/upgrade/report/sources/audit-log.ts'

const event = (
  userAgent: string,
  time: string,
  stage = 'ResponseComplete',
  annotations: object = { 'k8s.io/deprecated': 'true', 'k8s.io/removed-release': '1.25' },
) =>
  JSON.stringify({
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    stage,
    user: { username: 'jane' },
    userAgent,
    objectRef: { apiGroup: 'policy', apiVersion: 'v1beta1', resource: 'poddisruptionbudgets', namespace: 'shop' },
    requestReceivedTimestamp: time,
    annotations,
  })

describe('audit log in the upgrade report', () => {
  let folder: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'binnacle-audit-'))
  })
  after(() => rmSync(folder, { recursive: true }))

  it('lists the clients that requested deprecated versions', async () => {
    const path = join(folder, 'audit.log')
    writeFileSync(
      path,
      [
        event('kubectl/v1.20', '2024-01-01T00:00:00.000000Z', 'RequestReceived'),
        event('kubectl/v1.20', '2024-01-01T00:00:00.000000Z'),
        event('helm/v3', '2024-01-02T00:00:00.000000Z'),
        event('helm/v3', '2024-01-03T00:00:00.000000Z'),
        event('curl', '2024-01-03T00:00:00.000000Z', 'ResponseComplete', {}),
        'k8s.io/deprecated {',
        '',
      ].join('\n'),
    )
    const [found, ...more] = await auditFindings(path, '1.25')
    expect(more).to.deep.equal([])
    expect(found).to.deep.equal({
      rule: 'requested-version',
      level: 'blocking',
      subject: 'policy/v1beta1/poddisruptionbudgets',
      place: { source: path },
      message: 'clients have requested it, and it is not served from 1.25 on',
      since: '1.25',
      usages: [
        { by: 'jane with helm/v3 (2 requests)', time: '2024-01-03T00:00:00.000000Z' },
        { by: 'jane with kubectl/v1.20 (1 request)', time: '2024-01-01T00:00:00.000000Z' },
      ],
    })
    expect((await auditFindings(path, '1.24'))[0]?.level).to.equal('warning')
  })
})
