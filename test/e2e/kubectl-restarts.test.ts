import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { createJsonClient, type JsonClient } from '../support/json-client.ts'
import { findKubectls, type Kubectl, runKubectl, words } from '../support/kubectl.ts'
import { configMap } from '../support/load.ts'
import { createServerProcess, type ServerProcess } from '../support/server-process.ts'
import { eventually } from '../support/waiting.ts'

type End = 'terminate' | 'kill'

/** A command that runs while its server ends and comes back, and what of it kube-apiserver's users see. */
interface Case {
  readonly command: string
  readonly prints: RegExp
  /** Standard error and exit status, if they are not empty and 0. */
  readonly fails?: Partial<Record<End, RegExp>>
  /** It goes on until what it waits for has come, after the restart; otherwise it ends with the server. */
  readonly goesOn?: true
}

const CASES: readonly Case[] = [
  { command: 'get cm -w', prints: /^NAME +DATA +AGE\n(?:\S+ +\d+ +\d+s\n)*x +1 +\d+s\ny +0 +\d+s\nx +2 +\d+s\n$/ },
  { command: 'get cm --watch-only --output-watch-events', prints: /^EVENT +NAME +DATA +AGE\nMODIFIED +x +2 +\d+s\n$/ },
  { command: 'get cm x -w -o json', prints: /^\{[\s\S]*\n\}\n\{[\s\S]*\n\}\n$/ },
  // Streaming output ends with its connection.
  {
    command: 'get --raw /api/v1/watch/namespaces/default/configmaps?resourceVersion=0',
    prints: /^(?:\{"type":"(?:ADDED|MODIFIED)","object":\{.*\}\}\n)+$/,
    fails: { kill: /^error: unexpected EOF\n$/ },
  },
  {
    command: 'get --raw /api/v1/watch/namespaces/default/configmaps/x',
    prints: /^\{"type":"ADDED",.*\}\n\{"type":"MODIFIED",.*\}\n$/,
    fails: { kill: /^error: unexpected EOF\n$/ },
  },
  { command: `wait '--for=jsonpath={.data.done}=yes' cm/x --timeout=25s`, prints: /^configmap\/x condition met\n$/, goesOn: true },
  { command: 'wait --for=delete cm/y --timeout=25s', prints: /^configmap\/y condition met\n$/, goesOn: true },
  { command: 'rollout status deployment/web --timeout=25s', prints: /deployment "web" successfully rolled out\n$/, goesOn: true },
]
const CORE = '/api/v1/namespaces/default/configmaps'
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments'
/** Log lines of kubectl for each failed connection. Their number depends on the duration of a restart. */
const RETRIES =
  /^[IWE]\d{4} .* reflector\.go:\d+\] .*(?:watch lasted less than a second and no items received|connect: connection refused)\\?".*\n/gm
const kubectls = findKubectls()
const found = kubectls.length > 0
const withKubectl = found ? describe : describe.skip

withKubectl(`kubectl while the server restarts${found ? '' : ' (skipped: there is none on PATH)'}`, () => {
  let server: ServerProcess
  let client: JsonClient
  let env: NodeJS.ProcessEnv
  const home = mkdtempSync(join(tmpdir(), 'kubectl-'))
  before(async () => {
    server = await createServerProcess()
    await server.start()
    client = createJsonClient(server.url)
    env = { ...process.env, KUBECONFIG: server.kubeconfig, HOME: home }
  })
  after(async () => {
    for (const child of children) child.kill()
    client?.close()
    await server?.stop()
    rmSync(home, { recursive: true, force: true })
  })

  /** How many clients watch. */
  async function watches(): Promise<number> {
    const metrics = await (await fetch(`${server.url}/metrics`)).text()
    return [...metrics.matchAll(/^apiserver_longrunning_requests\{.*\} (\d+)$/gm)].reduce((sum, [, count]) => sum + Number(count), 0)
  }

  for (const kubectl of kubectls)
    for (const end of ['terminate', 'kill'] as const)
      it(`1.${kubectl.minor} watches and waits as with kube-apiserver when it is ${end === 'kill' ? 'killed' : 'terminated'}`, async () => {
        for (const path of [`${CORE}/x`, `${CORE}/y`, `${DEPLOYMENTS}/web`]) await client.ask('DELETE', path)
        await client.must('POST', CORE, configMap('x', { done: 'no' }))
        await client.must('POST', CORE, configMap('y', {}))
        await client.must('POST', DEPLOYMENTS, DEPLOYMENT)
        const running = CASES.map(wanted => ({ ...wanted, ...run(kubectl, wanted.command, env) }))
        await eventually('all of them watch', async () => (await watches()) === CASES.length)
        await client.ask('PATCH', `${CORE}/x`, { contentType: 'application/merge-patch+json', body: { data: { more: '1' } } })
        for (const { command, goesOn, prints, printed } of running)
          if (!goesOn) await eventually(`${command} prints the change`, () => prints.test(printed()))
        await server[end]()
        const over = await Promise.all(
          running.map(async ({ goesOn, ended }) => goesOn || (await Promise.race([ended.then(() => true), sleep(5000, false)]))),
        )
        expect(over, 'those that end with their server').to.deep.equal(CASES.map(() => true))
        await server.start()
        await client.must('PUT', `${CORE}/x`, configMap('x', { done: 'yes' }))
        await client.must('DELETE', `${CORE}/y`)
        const rolledOut = { status: { observedGeneration: 1, replicas: 1, updatedReplicas: 1, availableReplicas: 1, readyReplicas: 1 } }
        const patched = await client.ask('PATCH', `${DEPLOYMENTS}/web/status`, {
          contentType: 'application/merge-patch+json',
          body: rolledOut,
        })
        expect(patched.status).to.equal(200)
        for (const { command, prints, fails, ended } of running) {
          const { code, stdout, stderr } = await ended
          const context = `${command}\n${stdout}${stderr}`
          expect(stdout, context).to.match(prints)
          expect(stderr.replace(RETRIES, ''), context).to.match(fails?.[end] ?? /^$/)
          expect(code, context).to.equal(fails?.[end] ? 1 : 0)
        }
      })

  it('continues a list in chunks at the revision of its first chunk after a restart', async () => {
    const path = (kubectls[0] as Kubectl).path
    for (let i = 0; i < 5; i++)
      await client.must('POST', CORE, { ...configMap(`chunk-${i}`, {}), metadata: { name: `chunk-${i}`, labels: { of: 'chunks' } } })
    const page = async (token: string) => {
      const { stdout, stderr } = await runKubectl(
        path,
        ['get', '--raw', `${CORE}?labelSelector=of%3Dchunks&limit=2${token && `&continue=${encodeURIComponent(token)}`}`],
        env,
      )
      return JSON.parse(stdout || stderr) as {
        metadata: { resourceVersion: string; continue?: string }
        items: { metadata: { name: string } }[]
      }
    }
    const pages = [await page('')]
    for (const end of ['terminate', 'kill'] as const) {
      await client.must('DELETE', `${CORE}/chunk-${end === 'kill' ? 4 : 3}`)
      await server[end]()
      await server.start()
      pages.push(await page(pages.at(-1)?.metadata.continue ?? ''))
    }
    expect(pages.flatMap(({ items }) => items.map(({ metadata }) => metadata.name))).to.deep.equal([
      'chunk-0',
      'chunk-1',
      'chunk-2',
      'chunk-3',
      'chunk-4',
    ])
    expect(new Set(pages.map(({ metadata }) => metadata.resourceVersion)).size, 'versions').to.equal(1)
    expect(pages.map(({ metadata }) => metadata.continue !== undefined)).to.deep.equal([true, true, false])
  })
})

const DEPLOYMENT = {
  kind: 'Deployment',
  apiVersion: 'apps/v1',
  metadata: { name: 'web' },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'registry.example/app:1' }] } },
  },
}

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

const children = new Set<ChildProcess>()

interface Running {
  /** To standard output, so far. */
  printed(): string
  readonly ended: Promise<Ended>
}

function run({ path }: Kubectl, command: string, env: NodeJS.ProcessEnv): Running {
  const child = spawn(path, ['--namespace', 'default', ...words(command)], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  children.add(child)
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (data: Buffer) => {
    stdout += data
  })
  child.stderr.on('data', (data: Buffer) => {
    stderr += data
  })
  const ended = once(child, 'close').then(([code]) => {
    children.delete(child)
    return { code, stdout, stderr }
  })
  return { printed: () => stdout, ended }
}
