import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { runWhy } from '../../src/commands/why/why.ts'
import { startControlPlane } from '../../src/testing/start-control-plane.ts'
import type { ControlPlane, User } from '../../src/testing/types.ts'

describe('binnacle why', () => {
  let folder: string
  let plane: ControlPlane
  let jane: User
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'binnacle-why-'))
    plane = await startControlPlane({ flags: { why: 20 } })
    jane = await plane.user('jane')
    writeFileSync(join(folder, 'admin'), plane.kubeconfig)
    writeFileSync(join(folder, 'jane'), jane.kubeconfig)
  })
  after(async () => {
    await plane?.stop()
    rmSync(folder, { recursive: true })
  })

  async function run(...argv: readonly string[]): Promise<{ code: number; out: string; err: string }> {
    const said = { out: '', err: '' }
    const code = await runWhy([...argv, '--kubeconfig', join(folder, 'admin')], {
      out(text) {
        said.out += text
      },
      err(text) {
        said.err += text
      },
    })
    return { code, ...said }
  }

  it('explains the last request, requests of a user, and failed ones', async () => {
    await jane.request('GET', '/api/v1/nodes')
    await plane.request('POST', '/api/v1/namespaces/default/configmaps', { body: { metadata: { name: 'a' }, dat: {} } })
    const { code, out } = await run('--last')
    expect(code).to.equal(0)
    expect(out).to.match(/^kubernetes-admin requested to create configmaps in default: response 201 after \d+\.\d ms\.\nPOST /)
    for (const line of [
      '  kubernetes-admin, of groups system:masters, system:authenticated, by client certificate "O=system:masters, CN=kubernetes-admin"',
      '  Allowed: members of the group system:masters may do everything.',
      '  Fields that the kind does not have were dropped:\n    - dat\n',
      '  Passed: NamespaceLifecycle (',
      '  Tried without an existing object.\n',
      '  Created, as resource version ',
      '\nWarnings\n  unknown field "dat"\n',
    ])
      expect(out).to.include(line)
    const failed = await run('--last', '--failed', '--user=jane')
    expect(failed.out).to.match(/^jane requested to list nodes: response 403 Forbidden/)
    expect(failed.out).to.include('  jane may not list nodes. No binding of this user or its groups names a role with a rule for it.\n')
    expect(failed.out).to.include('    kubectl create clusterrole jane-list-nodes --verb=list --resource=nodes\n')
    expect((await run('--last', '-n', '2')).out.match(/ requested to /g)).to.have.length(2)
  })

  it('explains a request by its id, as text and as JSON', async () => {
    const { headers } = await plane.request('GET', '/api/v1/namespaces/default/configmaps?resourceVersion=0')
    const id = String(headers['audit-id'])
    expect((await run(id)).out).to.include(
      '  resourceVersion 0 requested: any state: the watch cache as it is now.\n  Served from the watch cache.\n',
    )
    expect(JSON.parse((await run(id, '-o', 'json')).out)).to.deep.equal(await plane.why(id))
  })

  it('lists one request per line', async () => {
    const { out } = await run('--list', '-n', '3', '--user', 'kubernetes-admin')
    const [head, ...rows] = out.trimEnd().split('\n')
    expect(head?.split(/ {2,}/)).to.deep.equal(['TIME', 'STATUS', 'TOOK', 'AUDIT ID', 'USER', 'VERB', 'URI'])
    expect(rows).to.have.length.above(0)
    for (const row of rows) expect(row).to.match(/^\d\d:\d\d:\d\d\.\d{3} {3}\d{3}.* ms .* kubernetes-admin /)
  })

  it('exits cleanly if a request, or any request, is no longer kept', async () => {
    const { code, err } = await run('0123')
    expect([code, err]).to.deep.equal([1, 'no request with the audit id "0123" was found: only the last 20 are kept\n'])
    expect(await run('--last', '--user', 'nobody')).to.deep.equal({ code: 1, out: '', err: 'No such request is recorded.\n' })
    const other = await startControlPlane()
    try {
      writeFileSync(join(folder, 'admin'), other.kubeconfig)
      for (const argv of [['--last'], ['0123']]) {
        const failure = await run(...argv).catch(error => error)
        expect(failure.message).to.match(/does not record requests: start it with --why/)
      }
    } finally {
      writeFileSync(join(folder, 'admin'), plane.kubeconfig)
      await other.stop()
    }
  })

  it('requires the right to read the records', async () => {
    const failure = await runWhy(['--last', '--kubeconfig', join(folder, 'jane')], { out: () => {}, err: () => {} }).catch(error => error)
    expect(failure.message).to.match(/403 .*cannot get path/)
  })

  it('escapes control characters in recorded values', async () => {
    const mallory = await plane.user('mallory')
    await mallory.request('GET', '/api/v1/namespaces/x%1b%5d0;owned%07/configmaps')
    const { out } = await run('--last')
    expect(out).to.include('\\x1b]0;owned\\x07')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what is looked for
    expect(out).to.not.match(/[\x00-\x08\x0b-\x1f\x7f]/)
  })

  it('rejects incomplete and excessive arguments', async () => {
    for (const argv of [[], ['a', '--last'], ['--last', '-n', '0'], ['--last', '-o', 'yaml'], ['--what']]) {
      const failure = await run(...argv).catch(error => error)
      expect(failure.name, argv.join(' ')).to.equal('ArgumentError')
    }
    expect((await run('--help')).out).to.match(/^Usage: binnacle why AUDIT-ID/)
  })
})
