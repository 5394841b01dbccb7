import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { PluginConfigurations } from '../../../../src/admission/configuration-file.ts'
import { WebhookClients } from '../../../../src/admission/webhooks/client.ts'
import { readWebhookCredentials } from '../../../../src/admission/webhooks/credentials.ts'
import { errorMessage } from '../../../../src/lib/error-message.ts'
import { issueCa, issueClient } from '../../../../src/server/tls/issue.ts'
import { eventually } from '../../../support/waiting.ts'
import { WebhookServer } from '../../../support/webhooks/webhook-server.ts'

const PLUGIN = 'ValidatingAdmissionWebhook'
const HEAD = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'WebhookAdmissionConfiguration' }

describe('credentials for webhooks', () => {
  const directory = mkdtempSync(join(tmpdir(), 'credentials-'))
  const file = join(directory, 'kubeconfig')
  const time = { ms: 0 }
  after(() => rmSync(directory, { recursive: true }))

  const configured = (config: object): PluginConfigurations => new Map([[PLUGIN, Buffer.from(JSON.stringify(config))]])
  const read = (config: object) => readWebhookCredentials(configured(config), PLUGIN, { clock: { now: () => time.ms } })
  const withUsers = (users: Readonly<Record<string, object>>, current?: string) => {
    const context = current && { 'current-context': 'c', contexts: [{ name: 'c', context: { user: current } }] }
    writeFileSync(
      file,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        users: Object.entries(users).map(([name, user]) => ({ name, user })),
        ...context,
      }),
    )
    return read({ ...HEAD, kubeConfigFile: file })
  }

  const addresses: [string, string[], string | undefined, string | undefined][] = [
    ['a.ns.svc:443', ['a.ns.svc:443', 'a.ns.svc', '*'], undefined, 'a.ns.svc:443'],
    ['a.ns.svc:443', ['a.ns.svc', '*.ns.svc', '*'], undefined, 'a.ns.svc'],
    ['a.ns.svc:443', ['a.ns.svc', '*.svc:443', '*'], undefined, '*.svc:443'],
    ['a.ns.svc:443', ['*.svc', '*.ns.svc', '*'], undefined, '*.ns.svc'],
    ['a.ns.svc:8443', ['a.ns.svc', '*.ns.svc', '*'], undefined, '*'],
    ['a.ns.svc:8443', ['*.ns.svc:8443', '*'], undefined, '*.ns.svc:8443'],
    ['a.ns.svc:443', ['b.ns.svc', 'mine'], 'mine', 'mine'],
    ['a.ns.svc:443', ['b.ns.svc', 'mine'], undefined, undefined],
    ['__proto__:443', ['mine'], undefined, undefined],
  ]
  for (const [address, names, current, found] of addresses)
    it(`selected from ${names.join(', ')}: ${found ?? 'none'} for ${address}`, async () => {
      const credentials = await withUsers(Object.fromEntries(names.map(name => [name, { token: name }])), current)
      expect((await credentials?.userOf(address)?.files.current())?.token).to.equal(found)
    })

  it('are undefined if the plugin has no configuration', async () => {
    expect(await readWebhookCredentials(new Map(), PLUGIN, { clock: { now: () => 0 } })).to.equal(undefined)
  })

  const refused: [string, object, string][] = [
    ['a relative path', { ...HEAD, kubeConfigFile: 'a' }, 'kubeConfigFile: Invalid value: "a": must be an absolute file path'],
    ['no path', HEAD, 'kubeConfigFile: Invalid value: "": must be an absolute file path'],
    ['no file', { ...HEAD, kubeConfigFile: '/nowhere' }, 'stat /nowhere: no such file or directory'],
    [
      'another kind',
      { ...HEAD, kind: 'Webhooks' },
      'no kind "Webhooks" is registered for version "apiserver.config.k8s.io/v1" in scheme "pkg/runtime/scheme.go:110"',
    ],
  ]
  for (const [what, config, why] of refused)
    it(`rejects ${what}`, async () => {
      expect(await read(config).then(() => '', errorMessage)).to.equal(
        `failed to apply admission: couldn't init admission plugin "${PLUGIN}": ${why}`,
      )
    })

  it('rejects credential plugins', async () => {
    expect(
      await withUsers({ '*': { exec: { command: 'a', apiVersion: 'client.authentication.k8s.io/v1', interactiveMode: 'Never' } } }).then(
        () => '',
        errorMessage,
      ),
    ).to.include('credential plugins are not implemented')
  })

  it('are sent, and follow the token file', async () => {
    const tokenFile = join(directory, 'token')
    writeFileSync(tokenFile, 'one\n')
    const hook = await WebhookServer.start()
    const credentials = await withUsers({ '*': { tokenFile, as: 'jane' } })
    const clients = new WebhookClients(async () => ({ host: '127.0.0.1', port: hook.port }), { credentials })
    try {
      hook.acts.set('/', () => ({}))
      const post = () => clients.post(hook.clientConfig('/'), '{}', { timeoutMs: 5000, signal: new AbortController().signal })
      const sent = () => {
        const { authorization, 'impersonate-user': as, 'user-agent': agent } = hook.requests.at(-1)?.headers ?? {}
        return [authorization, as, agent]
      }
      await post()
      expect(sent()).to.deep.equal(['Bearer one', 'jane', 'kube-apiserver-admission'])
      writeFileSync(tokenFile, 'two')
      time.ms += 60_000
      await post()
      expect(sent()).to.deep.equal(['Bearer two', 'jane', 'kube-apiserver-admission'])
    } finally {
      clients.close()
      hook.close()
    }
  })

  it('close connections with a former certificate once they are idle', async () => {
    const [certFile, keyFile] = [join(directory, 'client.crt'), join(directory, 'client.key')]
    const ca = await issueCa('clients')
    const renew = async (): Promise<void> => {
      const { cert, key } = await issueClient(ca, 'apiserver', [])
      writeFileSync(certFile, cert)
      writeFileSync(keyFile, key)
      time.ms += 60_000
    }
    await renew()
    const hook = await WebhookServer.start()
    const credentials = await withUsers({ '*': { 'client-certificate': certFile, 'client-key': keyFile } })
    const clients = new WebhookClients(async () => ({ host: '127.0.0.1', port: hook.port }), { credentials })
    try {
      let answer: ((told: object) => void) | undefined
      hook.acts.set('/', (_review, res) => {
        if (answer !== undefined) return {}
        answer = told => res.end(JSON.stringify(told))
        return undefined
      })
      const post = () => clients.post(hook.clientConfig('/'), '{}', { timeoutMs: 5000, signal: new AbortController().signal })
      const slow = post()
      await eventually('the first call arrives', () => answer !== undefined)
      const [used] = hook.sockets
      await post()
      const idle = [...hook.sockets].find(socket => socket !== used)
      await renew()
      await post()
      await eventually('the idle connection ends', () => idle !== undefined && !hook.sockets.has(idle))
      expect(hook.sockets.size).to.equal(2)
      expect(hook.sockets.has(used as Socket)).to.equal(true)
      answer?.({})
      expect((await slow).toString()).to.equal('{}')
      await eventually('the used connection ends', () => hook.sockets.size === 1 && !hook.sockets.has(used as Socket))
    } finally {
      clients.close()
      hook.close()
    }
  })
})
