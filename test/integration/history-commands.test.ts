import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { ClusterError } from '../../src/clients/cluster-client.ts'
import { runDiff } from '../../src/commands/history/diff.ts'
import { runLog } from '../../src/commands/history/log.ts'
import { runShow } from '../../src/commands/history/show.ts'
import { runUndo } from '../../src/commands/history/undo.ts'
import { ArgumentError } from '../../src/lib/arguments.ts'
import { startControlPlane } from '../../src/testing/start-control-plane.ts'
import type { ControlPlane } from '../../src/testing/types.ts'
import type { AnyObject } from '../support/any-object.ts'

const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments'
const COMMANDS = { log: runLog, show: runShow, diff: runDiff, undo: runUndo }

const deployment = (image: string, replicas: number) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    replicas,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image }] } },
  },
})

describe('commands that read the history', () => {
  let plane: ControlPlane
  let directory: string
  const revisions: string[] = []

  const write = async (method: string, manager: string, body?: object): Promise<void> => {
    const path = method === 'POST' ? DEPLOYMENTS : `${DEPLOYMENTS}/web`
    const answer = await plane.request(method, `${path}?fieldManager=${manager}`, body && { body })
    expect(answer.status).to.be.within(200, 201)
    revisions.push(String((answer.body as AnyObject).metadata.resourceVersion))
    await plane.advance('10m')
  }
  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'history-'))
    plane = await startControlPlane({ flags: { history: '24h' }, clock: new Date('2030-05-01T12:00:00Z') })
    await plane.settled(300)
    writeFileSync(join(directory, 'kubeconfig'), plane.kubeconfig)
    await write('POST', 'make', deployment('nginx:1', 1))
    await write('PUT', 'scale', deployment('nginx:1', 3))
    await write('PUT', 'roll', deployment('nginx:2', 3))
  })
  after(async () => {
    await plane.stop()
    rmSync(directory, { recursive: true, force: true })
  })

  async function run(command: keyof typeof COMMANDS, ...argv: string[]): Promise<{ status: number; out: string; err: string }> {
    const [out, err]: [string[], string[]] = [[], []]
    const streams = { out: (text: string) => void out.push(text), err: (text: string) => void err.push(text) }
    const status = await COMMANDS[command]([...argv, '--kubeconfig', join(directory, 'kubeconfig')], streams)
    return { status, out: out.join(''), err: err.join('') }
  }
  const failure = async (command: keyof typeof COMMANDS, ...argv: string[]): Promise<string> => {
    try {
      await run(command, ...argv)
    } catch (error) {
      if (error instanceof ClusterError || error instanceof ArgumentError) return error.message
      throw error
    }
    throw new Error('it has not failed')
  }
  const live = async (): Promise<AnyObject> => (await plane.request('GET', `${DEPLOYMENTS}/web`)).body as AnyObject

  it('log lists the author, time and changes of each revision', async () => {
    const { status, out } = await run('log', 'deploy/web')
    expect(status).to.equal(0)
    const [roll, scale, make, ...rest] = out.split(/^(?=revision)/m)
    expect(roll).to.equal(
      `revision ${revisions[2]}  2030-05-01T12:20:00.000Z  updated by roll (Update)\n    spec.template.spec.containers[web].image: "nginx:1" → "nginx:2"\n`,
    )
    expect(scale).to.equal(`revision ${revisions[1]}  2030-05-01T12:10:00.000Z  updated by scale (Update)\n    spec.replicas: 1 → 3\n`)
    expect(make).to.match(
      new RegExp(`^revision ${revisions[0]}  2030-05-01T12:00:00.000Z  created by make \\(Update\\)\n    metadata.name: "web"\n`),
    )
    expect(rest).to.deep.equal([])
    expect((await run('log', 'deploy/web', '--limit', '1')).out).to.equal(roll)
    const lines = (await run('log', 'deploy/web', '-o', 'json')).out
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    expect(lines[1]).to.deep.include({ revision: revisions[1], type: 'updated', fields: [{ path: 'spec.replicas', from: 1, to: 3 }] })
    expect(lines[1].authors).to.deep.equal([{ manager: 'scale', operation: 'Update', time: '2030-05-01T12:10:00Z' }])
    expect(await run('log', 'deploy/none')).to.deep.equal({ status: 1, out: '', err: 'no change of deployment.apps/none is recorded\n' })
  })

  it('accept all names of the kind', async () => {
    for (const words of [
      ['deployments/web'],
      ['deployment', 'web'],
      ['Deployment/web'],
      ['deployments.apps/web'],
      ['deploy.v1.apps/web'],
      ['deploy/web', '-n', 'default'],
    ])
      expect((await run('show', ...words, '--at', 'now')).out, words.join(' ')).to.include('image: nginx:2')
    for (const words of [['nothing/web'], ['deployments.batch/web']])
      expect(await failure('log', ...words)).to.match(/^the server has no kind "/)
    for (const words of [[], ['deploy'], ['deploy/web/x'], ['deploy/'], ['a', 'b', 'c']])
      expect(await failure('log', ...words)).to.match(/^an object is required as KIND\/NAME/)
    expect((await run('show', 'ns/default', '--at', 'now')).out).to.include('kind: Namespace')
  })

  it('show prints the object at a moment', async () => {
    const { out } = await run('show', 'deploy/web', '--at', '15m')
    expect(out).to.include('image: nginx:1').and.include('replicas: 3').and.not.include('managedFields')
    const object = JSON.parse((await run('show', 'deploy/web', '--at', revisions[0] ?? '', '-o', 'json', '--show-managed-fields')).out)
    expect(object.metadata).to.include({ resourceVersion: revisions[0] })
    expect([object.spec.replicas, object.metadata.managedFields.length]).to.deep.equal([1, 1])
    expect(await failure('show', 'deploy/web', '--at', '10h')).to.match(
      /^2030-05-01T02:30:00.000Z is no longer kept: history begins at 2030-05-01T12:00:00.000Z/,
    )
    expect(await failure('show', 'deploy/web')).to.equal('--at is required: the moment at which the object is shown')
    expect(await failure('show', 'deploy/none', '--at', '10m')).to.match(
      /^there was no deployment\.apps\/none at revision \d+ \(2030-05-01T12:\d\d:\d\d\.000Z\)$/,
    )
  })

  it('diff compares two moments', async () => {
    const { status, out } = await run('diff', 'deploy/web', '--from', '25m')
    expect(status).to.equal(1)
    expect(out).to.include('--- deployment.apps/web\trevision').and.include('-  replicas: 1\n+  replicas: 3\n').and.include('nginx:2')
    expect(await run('diff', 'deploy/web', '--from', '5m', '--to', 'now')).to.deep.equal({ status: 0, out: '', err: '' })
    const json = JSON.parse((await run('diff', 'deploy/web', '--from', '25m', '--to', '15m', '-o', 'json')).out)
    expect(json.changes).to.deep.equal([{ path: 'spec.replicas', from: 1, to: 3 }])
    // Controllers write meanwhile: the newest revision may be one of theirs.
    expect(Number(json.from.revision)).to.be.within(Number(revisions[0]), Number(revisions[1]) - 1)
    expect([json.from.exists, json.to.exists]).to.deep.equal([true, true])
  })

  it('undo restores an earlier state, unless the object changed in the meantime', async () => {
    const dry = await run('undo', 'deploy/web', '--dry-run')
    expect(dry.out)
      .to.include('-      - image: nginx:2\n+      - image: nginx:1')
      .and.include('deployment.apps/web would be written as it was\n')
    expect((await live()).metadata.resourceVersion).to.equal(revisions[2])
    const { out } = await run('undo', 'deploy/web')
    const now = await live()
    expect(out).to.equal(`deployment.apps/web written as it was, as revision ${now.metadata.resourceVersion}\n`)
    expect([now.spec.template.spec.containers[0].image, now.spec.replicas]).to.deep.equal(['nginx:1', 3])
    expect((await run('log', 'deploy/web', '--limit', '1')).out).to.include(
      'updated by binnacle-undo (Update)\n    spec.template.spec.containers[web].image: "nginx:2" → "nginx:1"',
    )
    await run('undo', 'deploy/web', '--to', revisions[0] ?? '')
    expect((await live()).spec.replicas).to.equal(1)
    expect((await run('undo', 'deploy/web', '--to', revisions[0] ?? '')).out).to.equal(
      'deployment.apps/web already has that content: nothing to undo\n',
    )
  })

  it('undo recreates a deleted object, and reports that its uid differs', async () => {
    const before = await live()
    await plane.request('DELETE', `${DEPLOYMENTS}/web`)
    await plane.until(async () => (await plane.request('GET', `${DEPLOYMENTS}/web`)).status === 404)
    expect((await run('log', 'deploy/web', '--limit', '1')).out).to.match(/ {2}deleted\n$/)
    const { out } = await run('undo', 'deploy/web')
    const now = await live()
    expect(out).to.equal(
      `deployment.apps/web created again, as revision ${now.metadata.resourceVersion}\nit has a new uid: references to the old one (${before.metadata.uid}) do not apply to it\n`,
    )
    expect(now.spec).to.deep.equal(before.spec)
    expect(now.metadata.uid).not.to.equal(before.metadata.uid)
    expect(await failure('undo', 'deploy/web')).to.equal(
      'deployment.apps/web did not exist before its last change, which created it: to undo that, delete it',
    )
    expect(await failure('undo', 'deploy/none')).to.equal('no change of deployment.apps/none is recorded')
  })

  it('escape control characters', async () => {
    await plane.request('POST', '/api/v1/namespaces/default/configmaps?fieldManager=x', {
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'hostile' }, data: { a: '\u001b[31mred\u202e', b: '<script>' } },
    })
    for (const [command, ...more] of [['log'], ['show', '--at', 'now'], ['diff', '--from', '1s']] as const) {
      const { out } = await run(command, 'cm/hostile', ...more)
      expect(out).to.include('red')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what it is about
      expect(out).not.to.match(/[\u0000-\u0008\u000b-\u001f\u202e]/)
    }
  })

  it('report a missing history', async () => {
    const other = await startControlPlane({})
    try {
      writeFileSync(join(directory, 'kubeconfig'), other.kubeconfig)
      for (const argv of [['log'], ['show', '--at', '1m'], ['diff', '--from', '1m'], ['undo']] as [keyof typeof COMMANDS, ...string[]][])
        expect(await failure(argv[0], 'ns/default', ...argv.slice(1))).to.equal(
          `${other.url} keeps no history: start it with --history 24h`,
        )
    } finally {
      await other.stop()
      writeFileSync(join(directory, 'kubeconfig'), plane.kubeconfig)
    }
  })
})
