import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { findKubectls, followKubectl, type Kubectl, type Result, runKubectl, words } from '../support/kubectl.ts'
import { createProbeClient, type ProbeClient } from '../support/probe/client.ts'
import { type StartedServer, startBinnacle } from '../support/started-server.ts'
import { eventually } from '../support/waiting.ts'
import { access } from './kubectl/access.ts'
import { applying } from './kubectl/applying.ts'
import { deleting } from './kubectl/deleting.ts'
import { discovering } from './kubectl/discovering.ts'
import { nodes } from './kubectl/nodes.ts'
import { reading } from './kubectl/reading.ts'
import type { Expected, Script, Step } from './kubectl/script.ts'
import { writing } from './kubectl/writing.ts'

const SCRIPTS: readonly Script[] = [...discovering, ...reading, ...writing, ...deleting, ...applying, ...nodes, ...access]
const FILES = join(import.meta.dirname, '..', 'fixtures', 'manifests')
const kubectls = findKubectls()
/** How long is waited for what a controller does. */
const EVENTUALLY_MS = 120_000

let server: StartedServer
let client: ProbeClient

/** A script's namespace and what it runs with. */
class Session {
  readonly #kubectl: Kubectl
  readonly #namespace: string
  readonly env: NodeJS.ProcessEnv
  readonly #saved = new Map<string, string>()

  constructor(kubectl: Kubectl, namespace: string) {
    this.#kubectl = kubectl
    this.#namespace = namespace
    // Discovery is cached by server address, which a run may share with an earlier one: each has its own.
    this.env = {
      ...process.env,
      KUBECONFIG: server.kubeconfig,
      HOME: join(server.kubeconfig, '..', `home-${kubectl.minor}`),
      KUBECTL_EXTERNAL_DIFF: '',
    }
  }

  fill(text: string): string {
    const known = text.replaceAll('{ns}', this.#namespace).replaceAll('{node}', `node-${this.#namespace}`).replaceAll('{files}', FILES)
    return [...this.#saved].reduce((filled, [name, value]) => filled.replaceAll(`{${name}}`, value), known)
  }

  async run(command: string, options: { stdin?: string; env?: Readonly<Record<string, string>> } = {}): Promise<Result> {
    const stdin = options.stdin === undefined ? {} : { stdin: this.fill(options.stdin) }
    return runKubectl(this.#kubectl.path, this.#args(command), this.env, { ...options, ...stdin })
  }

  follow(command: string, ready: RegExp, act: () => Promise<void>, wanted: readonly RegExp[]): Promise<string> {
    return followKubectl(this.#kubectl.path, this.#args(command), this.env, ready, act, wanted)
  }

  async step(step: Step): Promise<void> {
    const special = 'run' in step ? step : undefined
    if (special?.since !== undefined && this.#kubectl.minor < special.since) return
    for (const until = Date.now() + (special?.eventually ? EVENTUALLY_MS : 0); ; await sleep(100)) {
      try {
        return await this.#once(step)
      } catch (error) {
        if (Date.now() >= until) throw error
      }
    }
  }

  async #once(step: Step): Promise<void> {
    const [run, prints] = 'run' in step ? [step.run, step.prints] : [step[0], step.slice(1) as Expected[]]
    const special = 'run' in step ? step : undefined
    const running = this.run(run, {
      ...(special?.stdin !== undefined && { stdin: special.stdin }),
      ...(special?.env && { env: special.env }),
    })
    if (special?.meanwhile !== undefined) {
      await sleep(500)
      const beside = await this.run(special.meanwhile)
      expect(beside.code, `${special.meanwhile}\n${beside.stderr}`).to.equal(0)
    }
    const { code, stdout, stderr } = await running
    const all = `${stdout}${stderr}`
    const context = `kubectl ${run}\n${all}`
    if (special?.fails) expect(code, context).not.to.equal(0)
    else expect(code, context).to.equal(0)
    for (const expected of prints) {
      if (typeof expected === 'string') expect(stdout.trim(), context).to.equal(expected)
      else expect(all, context).to.match(expected)
    }
    if (special?.saves !== undefined) this.#saved.set(special.saves, stdout.trim())
  }

  #args(command: string): string[] {
    return ['--namespace', this.#namespace, ...words(this.fill(command))]
  }
}

const found = kubectls.length > 0
const withKubectl = found ? describe : describe.skip

withKubectl(`kubectl${found ? '' : ' (skipped: there is none on PATH)'}`, () => {
  before(async () => {
    server = await startBinnacle()
    client = createProbeClient(server.kubeconfig)
  })
  after(async () => {
    client?.close()
    await server?.stop()
  })
  for (const kubectl of kubectls) describe(`1.${kubectl.minor}`, () => ofRelease(kubectl))
})

function ofRelease(kubectl: Kubectl): void {
  let count = 0
  const session = async (): Promise<Session> => {
    const namespace = `k${kubectl.minor}-${++count}`
    const opened = new Session(kubectl, namespace)
    // Without kubectl, whose start takes longer than the requests.
    const body = Buffer.from(JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }))
    const made = await client.ask('POST', '/api/v1/namespaces', { headers: { 'content-type': 'application/json' }, body })
    expect(made.status, made.body.toString()).to.equal(201)
    for (const path of ['serviceaccounts/default', 'configmaps/kube-root-ca.crt'])
      await eventually(
        `the namespace has ${path}`,
        async () => (await client.ask('GET', `/api/v1/namespaces/${namespace}/${path}`)).status === 200,
      )
    return opened
  }

  for (const { name, steps } of SCRIPTS)
    it(name, async () => {
      const opened = await session()
      for (const step of steps) await opened.step(step)
    })

  it('watches', async () => {
    const opened = await session()
    const act = async (): Promise<void> => {
      await opened.run('create cm one --from-literal=a=1')
      await opened.run('label cm one x=y')
      await opened.run('delete cm one')
    }
    const plain = await opened.follow('get cm -w', /kube-root-ca/, act, [/(?:^one +1 +\d+s\n?){3}/m])
    expect(plain).to.match(/^NAME +DATA +AGE$/m)
    expect(plain.match(/^one +1 +\d+s$/gm), plain).to.have.length(3)
    const events = await opened.follow('get cm -w --output-watch-events', /kube-root-ca/, act, [/^DELETED +one /m])
    expect(events, events).to.match(/^ADDED +one .*\nMODIFIED +one .*\nDELETED +one /m)
  })
}
