import { execFile, execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')

/** Runs the program from its source, which takes seconds to load: only a test that is run alone does. */
const SOURCE = `process.argv.splice(1, 0, 'binnacle', 'check'); const { main } = await import('./src/check/main.ts'); main()`
const PROGRAM = process.env.BINNACLE ? [process.env.BINNACLE, 'check'] : ['--import', 'tsx', '--input-type=module', '-e', SOURCE, '--']
/** Makes each connection, listener and look-up of a name an error that ends the process. */
const NO_SOCKETS = `data:text/javascript,import net from 'node:net'; import dns from 'node:dns'; const refuse = name => () => { process.stderr.write('used ' + name); process.exit(9) }; net.Socket.prototype.connect = refuse('connect'); net.Server.prototype.listen = refuse('listen'); dns.lookup = refuse('lookup')`

/** An empty network namespace, without even a loopback device. */
const EMPTY = ['unshare', '--map-root-user', '--net']

function whyNoNamespace(): string | undefined {
  try {
    execFileSync(EMPTY[0] as string, [...EMPTY.slice(1), 'true'], { stdio: 'ignore' })
    return undefined
  } catch {
    return 'unshare makes no network namespaces here'
  }
}

async function checked(prefix: readonly string[], ...more: string[]): Promise<string> {
  const command = [...prefix, process.execPath, ...more, ...PROGRAM, '-f', 'test/fixtures/check/oracle/workloads.yaml', '-o', 'json']
  const { stdout, stderr } = await run(command[0] as string, command.slice(1), { cwd: root }).catch(error => error)
  expect(stderr).to.equal('')
  const { failed, objects } = JSON.parse(stdout)
  return `${failed} ${objects.length}`
}

describe('binnacle check without a network', () => {
  it('opens no connection and no listener', async () => expect(await checked([], '--import', NO_SOCKETS)).to.equal('true 12'))

  const skip = whyNoNamespace()
  ;(skip ? it.skip : it)(`runs in an empty network namespace${skip ? ` (skipped: ${skip})` : ''}`, async () =>
    expect(await checked(EMPTY)).to.equal('true 12'),
  )
})
