import { expect } from 'chai'
import { readCommandLine } from '../../../src/config/command-line.ts'
import { silentLogger } from '../../../src/lib/log.ts'
import { openBackends } from '../../../src/process/open-stores.ts'
import { Encryption } from '../../../src/storage/value/encryption.ts'

describe('the store of a server', () => {
  it('rejects --history if the supposed stand-in is an etcd', async () => {
    const command = readCommandLine(['--history=1h', '--etcd-stand-in', '--etcd-servers=http://127.0.0.1:1'])
    if (command.action !== 'serve') throw new Error('not a command line that serves')
    const failure = await openBackends(command.config, new Encryption(), silentLogger).catch((error: Error) => error.message)
    expect(failure).to.equal('--history needs the embedded store: http://127.0.0.1:1 is not a stand-in for etcd')
  })

  it('uses the last entry of a resource in --etcd-servers-overrides, even if it equals --etcd-servers', async () => {
    const main = 'http://127.0.0.1:1'
    const overrides = [
      '/events#http://127.0.0.1:2',
      '/pods#http://127.0.0.1:2',
      '/nodes#http://127.0.0.1:2',
      '/events#http://127.0.0.1:3',
      `/nodes#${main}`,
    ]
    const command = readCommandLine([`--etcd-servers=${main}`, `--etcd-servers-overrides=${overrides.join(',')}`])
    if (command.action !== 'serve') throw new Error('not a command line that serves')
    const { backend, otherStores } = await openBackends(command.config, new Encryption(), silentLogger)
    await Promise.all([backend, ...otherStores.map(other => other.backend)].map(opened => opened.close()))
    expect(otherStores.map(({ name, resources }) => [name, ...resources])).to.deep.equal([
      ['etcd-1', 'events'],
      ['etcd-2', 'pods'],
    ])
  })

  it('keeps history of an in-memory store', async () => {
    for (const flags of [[], ['--history=1h']]) {
      const command = readCommandLine(['--ephemeral', ...flags])
      if (command.action !== 'serve') throw new Error('not a command line that serves')
      const { backend } = await openBackends(command.config, new Encryption(), silentLogger)
      expect(backend.history !== undefined).to.equal(flags.length > 0)
      await backend.close()
    }
  })
})
