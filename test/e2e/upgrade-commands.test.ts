import { spawn } from 'node:child_process'
import { expect } from 'chai'
import { NEWEST_RELEASE } from '../../src/lifecycle/release.ts'
import { commandsCommand } from '../support/server-program.ts'
import { startBinnacle } from '../support/started-server.ts'

/** Runs the program of the commands. */
async function run(input: string, ...argv: string[]): Promise<{ status: number | null; out: string; err: string }> {
  const [program, ...first] = await commandsCommand()
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...first, ...argv])
    const [out, err]: [string[], string[]] = [[], []]
    child.stdout.on('data', (chunk: Buffer) => void out.push(chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => void err.push(chunk.toString()))
    child.on('error', reject).on('close', status => resolve({ status, out: out.join(''), err: err.join('') }))
    child.stdin.end(input)
  })
}

const OLD =
  'apiVersion: batch/v1beta1 # old\nkind: CronJob\nmetadata: {name: c}\nspec: {schedule: "* * * * *", jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}}}}\n'

describe('commands for upgrades', () => {
  it('convert rewrites manifests', async () => {
    const { status, out, err } = await run(OLD, 'convert', '-f', '-', '--to', '1.36')
    expect(out).to.equal(OLD.replace('batch/v1beta1', 'batch/v1'))
    expect(err).to.equal('<stdin>:1: CronJob c: batch/v1beta1 becomes batch/v1\n')
    expect(status).to.equal(0)
  })

  it('upgrade-report returns an exit status for blockers', async () => {
    const { status, out } = await run(OLD, 'upgrade-report', '-f', '-', '--from', '1.24', '--to', '1.25', '-o', 'json')
    expect(status).to.equal(1)
    expect(JSON.parse(out).findings[0].place).to.deep.equal({ file: '<stdin>', line: 1 })
  })

  it('upgrade-report finds no blockers on a new server', async () => {
    const server = await startBinnacle()
    try {
      const { status, out, err } = await run('', 'upgrade-report', '--kubeconfig', server.kubeconfig, '--to', '1.36', '-o', 'json')
      expect(err).to.equal('')
      const { from, objects, findings } = JSON.parse(out)
      expect(findings.filter(({ level }: { level: string }) => level !== 'note')).to.deep.equal([])
      expect({ status, from }).to.deep.equal({ status: 0, from: '1.33' })
      expect(objects).to.be.greaterThan(100)
    } finally {
      await server.stop()
    }
  })

  it('report usage errors in one line', async () => {
    const { status, out, err } = await run('', 'convert', '-f', '-', '--to', '2.0')
    expect({ status, out, err }).to.deep.equal({
      status: 2,
      out: '',
      err: `Error: --to 2.0: not a release from 1.16 to ${NEWEST_RELEASE}\n`,
    })
    expect(await run('', 'upgrade-report', '--to', '1.30', '--from', '1.29', '--snapshot', '/nowhere')).to.deep.equal({
      status: 2,
      out: '',
      err: "Error: ENOENT: no such file or directory, open '/nowhere'\n",
    })
  })
})
