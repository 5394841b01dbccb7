import { expect } from 'chai'
import { createProbeClient, type ProbeClient } from '../support/probe/client.ts'
import { createServerProcess, type ServerProcess } from '../support/server-process.ts'

describe('/statusz and /flagz', () => {
  let server: ServerProcess
  let client: ProbeClient

  before(async () => {
    server = await createServerProcess(['--emulated-version=1.37', '--authorization-mode=RBAC', '--event-ttl=90m'])
    await server.start()
    client = createProbeClient(server.kubeconfig)
  })
  after(async () => {
    client?.close()
    await server?.stop()
  })

  const get = (path: string, accept: string, anonymous = false) => client.ask('GET', path, { headers: { accept }, anonymous })

  it('are listed by the index', async () => {
    const { body } = await get('/', 'application/json')
    expect(JSON.parse(String(body)).paths).to.include.members(['/flagz', '/statusz'])
  })

  it('show the flags and versions', async () => {
    const flags = await get('/flagz', 'application/json;as=Flagz;v=v1beta1;g=config.k8s.io')
    expect(flags.status).to.equal(200)
    expect(JSON.parse(String(flags.body)).flags).to.include({
      'event-ttl': '1h30m0s',
      'authorization-mode': '[RBAC]',
      'emulated-version': '[1.37]',
    })
    const status = await get('/statusz', 'text/plain')
    expect(String(status.body)).to.match(/^\napiserver statusz\n[\s\S]*\nEmulation version.{1,3}1.37\n/)
  })

  it('are for users who may read them', async () => {
    for (const path of ['/flagz', '/statusz']) expect((await get(path, 'text/plain', true)).status, path).to.equal(403)
    const role = await get('/apis/rbac.authorization.k8s.io/v1/clusterroles/system:monitoring', 'application/json')
    const urls = JSON.parse(String(role.body)).rules.flatMap((rule: { nonResourceURLs?: string[] }) => rule.nonResourceURLs ?? [])
    expect(urls).to.include.members(['/flagz', '/statusz'])
  })

  it('are counted by their versions', async () => {
    const text = String((await get('/metrics', '*/*')).body)
    expect(text).to.match(
      /apiserver_request_total\{verb="GET",dry_run="",group="config.k8s.io",version="v1beta1",resource="flagz",subresource="",scope="",component="apiserver",code="200"\} 1/,
    )
  })
})
