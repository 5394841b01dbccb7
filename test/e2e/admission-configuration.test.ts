import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { createJsonClient } from '../support/json-client.ts'
import { createServerProcess, type ServerProcess } from '../support/server-process.ts'

const HEAD = 'apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nplugins:\n- name: PodSecurity\n'
const BASELINE =
  'apiVersion: pod-security.admission.config.k8s.io/v1\nkind: PodSecurityConfiguration\ndefaults: {enforce: baseline}\nexemptions: {namespaces: [free]}\n'
const HOST = 'host namespaces (hostNetwork=true)'
const PODS = '/api/v1/namespaces/default/pods'
const namespace = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
const pod = (metadata: object) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata,
  spec: { hostNetwork: true, containers: [{ name: 'c', image: 'i:1' }] },
})

describe('a server with an admission configuration', () => {
  const directory = mkdtempSync(join(tmpdir(), 'admission-'))
  const file = join(directory, 'admission.yaml')
  let server: ServerProcess
  before(async () => {
    server = await createServerProcess([`--admission-control-config-file=${file}`, '--disable-admission-plugins=ServiceAccount'])
    writeFileSync(file, `${HEAD}  path: pod-security.yaml\n`)
    writeFileSync(join(directory, 'pod-security.yaml'), BASELINE)
    await server.start()
  })
  after(async () => {
    await server.stop()
    rmSync(directory, { recursive: true })
  })

  it('enforces the configured Pod Security level on templates, and names a pod with its generated name', async () => {
    const { status, body } = await createJsonClient(server.url).ask('POST', PODS, { body: pod({ generateName: 'web-' }) })
    expect(status).to.equal(403)
    expect(body.message).to.match(/^pods "web-[a-z0-9]{5}" is forbidden: violates PodSecurity "baseline:latest": /)
    expect(body.message).to.contain(HOST)
  })

  it('allows pods in exempt namespaces', async () => {
    const client = createJsonClient(server.url)
    await client.must('POST', '/api/v1/namespaces', namespace('free'))
    await client.must('POST', '/api/v1/namespaces/free/pods', pod({ name: 'p' }))
  })

  it('does not start with an invalid file', async () => {
    await server.terminate()
    writeFileSync(file, `${HEAD}  configuration: {}\n`)
    const failed = await server.start().catch((error: Error) => error)
    expect(failed).to.be.instanceOf(Error)
    expect(server.log()).to.contain(
      `Error: failed to apply admission: couldn't init admission plugin "PodSecurity": Object 'Kind' is missing in '{}'`,
    )
  })
})
