import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { runConvert } from '../../../src/upgrade/convert-command.ts'
import { readManifests } from '../../../src/upgrade/manifests.ts'
import type { Finding } from '../../../src/upgrade/report/finding.ts'
import { textReport } from '../../../src/upgrade/report/formats/text.ts'
import { auditFindings } from '../../../src/upgrade/report/sources/audit-log.ts'
import { readDocuments } from '../../../src/upgrade/source/nodes.ts'

const OLD = 'apiVersion: scheduling.k8s.io/v1beta1\nkind: PriorityClass\nmetadata: {name: a}\nvalue: 1\n'

describe('untrusted input', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'binnacle-hostile-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  async function convert(...flags: string[]): Promise<{ status: number; out: string; err: string }> {
    const written: Record<'out' | 'err', string[]> = { out: [], err: [] }
    const status = await runConvert(['-f', folder, '--to', '1.30', ...flags], {
      out: text => void written.out.push(text),
      err: text => void written.err.push(text),
    })
    return { status, out: written.out.join(''), err: written.err.join('') }
  }

  it('can neither control a terminal nor forge lines of a report', () => {
    const finding: Finding = {
      rule: 'removed-version',
      level: 'blocking',
      subject: 'Ingress a\u001b]52;c;QQ==\u0007\nNothing blocks the upgrade',
      place: { source: 'a\u009b2Jb' },
      message: 'first\nsecond \u202e',
      usages: [{ by: 'jane with \u001b[1A\r' }],
      diff: '-a: \u001b[31m',
    }
    expect(textReport({ from: '1.29', to: '1.30', sources: ['s\u007f'], objects: 1, findings: [finding] }, true)).to.equal(
      [
        'From 1.29 to 1.30: 1 object of s\\x7f',
        '',
        'Blocking (1)',
        '',
        '  Ingress a\\x1b]52;c;QQ==\\x07\\nNothing blocks the upgrade  a\\x9b2Jb',
        '    first\n      second \\u202e [removed-version]',
        '      by jane with \\x1b[1A\\x0d',
        '      -a: \\x1b[31m',
        '',
        '',
        '1 finding blocks the upgrade to 1.30.',
        '',
      ].join('\n'),
    )
  })

  it('is printed on one line by conversions', async () => {
    writeFileSync(join(folder, 'a.yaml'), OLD.replace('{name: a}', '{name: "a\\e[2J\\nb"}'))
    const { err } = await convert()
    expect(err).to.match(/^\S+a\.yaml:1: PriorityClass a\\x1b\[2J\\nb: scheduling\.k8s\.io\/v1beta1 becomes scheduling\.k8s\.io\/v1\n/)
  })

  it('is not read from pipes and devices in a folder', async () => {
    symlinkSync('/dev/zero', join(folder, 'b.yaml'))
    symlinkSync('c.yaml', join(folder, 'c.yaml'))
    const { status, err } = await convert()
    expect(status).to.equal(2)
    expect(err).to.match(/^Error: \S+c\.yaml: ELOOP.*\n$/)
  })

  it('is not changed through links, and keeps its file mode', async () => {
    const [outside, inside] = [join(folder, 'outside'), join(folder, 'b.yaml')]
    mkdirSync(outside)
    writeFileSync(join(outside, 'a.txt'), OLD)
    symlinkSync(join('outside', 'a.txt'), join(folder, 'a.yaml'))
    writeFileSync(inside, OLD, { mode: 0o640 })
    const { status, err } = await convert('--write', '--quiet')
    expect(status).to.equal(2)
    expect(err).to.match(/a\.yaml: this is a symbolic link/)
    expect(readFileSync(join(outside, 'a.txt'), 'utf8')).to.equal(OLD)
    expect(readFileSync(inside, 'utf8')).to.equal(OLD.replace('v1beta1', 'v1'))
    expect(statSync(inside).mode & 0o777).to.equal(0o640)
    expect(readdirSync(folder)).to.deep.equal(['a.yaml', 'b.yaml', 'outside'])
  })

  it('cannot change a prototype', () => {
    const [document] = readDocuments('a: {<<: {__proto__: {b: 1}}}\n')
    const [object] = readManifests('x.yaml', 'apiVersion: v1\nkind: ConfigMap\nspec: {<<: {__proto__: {b: 1}}}\n').objects
    expect(JSON.stringify(document?.value)).to.equal('{"a":{"__proto__":{"b":1}}}')
    expect(JSON.stringify(object?.value.spec)).to.equal('{"__proto__":{"b":1}}')
  })

  it('has its lines counted once, however many documents it has', () => {
    const texts = (count: number): string => '---\nkind: Foo\napiVersion: v1\n'.repeat(count)
    const lines = readManifests('x.yaml', texts(1000)).objects.map(({ line }) => line)
    expect(lines).to.deep.equal(Array.from({ length: 1000 }, (_, i) => 3 * i + 2))
    // Searches for line ends: as many as there are lines, and a few more.
    let looks = 0
    const { indexOf } = String.prototype
    String.prototype.indexOf = function (this: string, search: string, from?: number): number {
      if (search === '\n') looks++
      return indexOf.call(this, search, from)
    }
    try {
      readManifests('x.yaml', texts(4000))
    } finally {
      String.prototype.indexOf = indexOf
    }
    expect(looks).to.be.lessThan(10 * 12_000)
  })

  it('cannot add more callers than the limit', async () => {
    const path = join(folder, 'audit.log')
    const event = (i: number): string =>
      JSON.stringify({
        annotations: { 'k8s.io/deprecated': 'true', 'k8s.io/removed-release': '1.25' },
        objectRef: { apiGroup: 'policy', apiVersion: 'v1beta1', resource: 'poddisruptionbudgets' },
        user: { username: 'jane' },
        userAgent: `agent ${i}`,
      })
    writeFileSync(path, Array.from({ length: 10_005 }, (_, i) => event(i)).join('\n'))
    const [found] = await auditFindings(path, '1.25')
    expect(found?.usages?.[0]).to.deep.equal({ by: 'others (5 requests)' })
  })
})
