import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { ArgumentError } from '../../../src/lib/arguments.ts'
import { kubeconfig } from '../../../src/process/kubeconfig.ts'
import { kubeconfigOf } from '../../../src/process/kubeconfig-command.ts'

const config = (server: string): string => kubeconfig({ server, ca: 'ca', user: 'admin', cert: 'cert', key: 'key' })

describe('binnacle kubeconfig', () => {
  const directory = mkdtempSync(join(tmpdir(), 'binnacle-'))
  before(() => writeFileSync(join(directory, 'admin.kubeconfig'), config('https://127.0.0.1:6443')))
  after(() => rmSync(directory, { recursive: true }))

  it('prints the kubeconfig of the data directory', () => {
    expect(kubeconfigOf([], directory)).to.equal(config('https://127.0.0.1:6443'))
    expect(kubeconfigOf(['--data-dir', directory], '/none')).to.equal(config('https://127.0.0.1:6443'))
    expect(() => kubeconfigOf([], '/none')).to.throw('there is no /none/admin.kubeconfig: a server writes it')
  })
  it('prints its help', () => expect(kubeconfigOf(['--help'], directory)).to.match(/^Usage: binnacle kubeconfig .*Prints the/s))
  it('replaces the URL of the server', () => {
    expect(kubeconfigOf(['--server=https://binnacle.binnacle.svc'], directory)).to.equal(config('"https://binnacle.binnacle.svc"'))
    expect(kubeconfigOf(['--server', 'https://$1:1'], directory)).to.contain('server: "https://$1:1"')
  })
  for (const [argv, message] of [
    [['--server'], 'flag needs an argument: --server'],
    [['--data-dir='], '--data-dir is empty'],
    [['x'], 'unexpected argument: x'],
    [['--servers=https://a'], 'unknown flag: --servers=https://a; did you mean --server?'],
  ] as const)
    it(`rejects ${argv.join(' ')}`, () => expect(() => kubeconfigOf(argv, directory)).to.throw(ArgumentError, message))
  it('rejects a file as a data directory', () => {
    const file = join(directory, 'admin.kubeconfig')
    expect(() => kubeconfigOf(['--data-dir', file], directory)).to.throw(`${file} is a file, not a directory`)
  })
  for (const server of ['binnacle', 'ftp://a', 'https://a b\nc'])
    it(`rejects ${JSON.stringify(server)} as a server`, () =>
      expect(() => kubeconfigOf(['--server', server], directory)).to.throw('is not the URL of a server'))
})
