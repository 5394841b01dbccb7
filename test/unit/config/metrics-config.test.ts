import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { readCommandLine } from '../../../src/config/command-line.ts'
import type { Config } from '../../../src/config/config.ts'

function serve(...argv: string[]): Config {
  const command = readCommandLine(argv)
  if (command.action !== 'serve') throw new Error(`asked for ${command.action}`)
  return command.config
}

/** Metric, label and values of all allow lists. */
const allowed = (config: Config): string[] =>
  [...config.observability.metrics.allowedLabels].flatMap(([metric, labels]) =>
    [...labels].map(([label, values]) => `${metric} ${label} ${[...values].join('|')}`),
  )

describe('flags of metrics', () => {
  const directory = mkdtempSync(join(tmpdir(), 'binnacle-metrics-'))
  after(() => rmSync(directory, { recursive: true }))

  it('expose hidden metrics of the previous release', () => {
    expect(serve('--show-hidden-metrics-for-version=1.32').observability.metrics.showHidden).to.equal(true)
    expect(serve('--emulated-version=1.32', '--show-hidden-metrics-for-version=1.31').observability.metrics).to.include({
      release: '1.32',
      showHidden: true,
    })
    expect(serve().observability.metrics.showHidden).to.equal(false)
  })
  it('disable metrics', () =>
    expect([...serve('--disabled-metrics=a,b', '--disabled-metrics=c').observability.metrics.disabled]).to.deep.equal(['a', 'b', 'c']))
  it('allow label values', () => {
    expect(allowed(serve('--allow-metric-labels=metric,label=a,b'))).to.deep.equal(['metric label a|b'])
    expect(allowed(serve('--allow-metric-labels="m,l=a,b","m,k=c"', '--allow-metric-labels=n,l=d'))).to.deep.equal([
      'm l a|b',
      'm k c',
      'n l d',
    ])
  })
  it('read allowed values from a manifest, which the flag overrides', () => {
    const file = join(directory, 'labels.yaml')
    writeFileSync(file, '"metric,label": a,b\n')
    expect(allowed(serve(`--allow-metric-labels-manifest=${file}`))).to.deep.equal(['metric label a|b'])
    expect(allowed(serve(`--allow-metric-labels-manifest=${file}`, '--allow-metric-labels=n,l=d'))).to.deep.equal(['n l d'])
  })
  it('only warn of an unreadable manifest', () => {
    const file = join(directory, 'bad.yaml')
    writeFileSync(file, 'a: [\n')
    expect(serve(`--allow-metric-labels-manifest=${file}`).observability.warnings[0]).to.match(/^Failed to parse allow list manifest: /)
    expect(serve(`--allow-metric-labels-manifest=${directory}/missing`).observability.warnings[0]).to.match(
      /^Failed to read allow list manifest: ENOENT/,
    )
  })
})
