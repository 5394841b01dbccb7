import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { readCommandLine, usage } from '../../../src/config/command-line.ts'
import type { FlagSpec } from '../../../src/config/flag-spec.ts'
import { FLAGS } from '../../../src/config/flag-table.ts'

describe('usage', () => {
  it('names every flag', () => {
    const text = usage()
    for (const name of Object.keys(FLAGS)) expect(text).to.contain(`--${name}`)
  })
  it('lists every command', () => {
    const [, listed = ''] = /const COMMANDS = \[([^\]]*)\]/.exec(readFileSync('bin/load.mjs', 'utf8')) ?? []
    const names = [...listed.matchAll(/'([^']+)'/g)].map(([, name = '']) => name)
    expect(names).to.include('why')
    for (const name of [...names, 'assets', 'kubeconfig']) expect(usage()).to.match(new RegExp(`^  ${name} `, 'm'))
  })
  it('is printed for the same arguments as by kubectl', () => {
    expect(readCommandLine(['help'])).to.deep.equal({ action: 'help', profile: 'binnacle' })
    expect(readCommandLine(['version'])).to.deep.equal({ action: 'version' })
  })
  it('shows the default of every flag that has one other than false', () => {
    const lines = new Map([...usage().matchAll(/^ +(?:-\w, )? *--([\w-]+) .*$/gm)].map(([line, name = '']) => [name, line]))
    for (const [name, spec] of Object.entries<FlagSpec>(FLAGS)) {
      if (spec.status !== 'used') continue
      const said = / \(default (.*)\)$/.exec(lines.get(name) ?? '')?.[1]
      expect(said, name).to.equal(spec.default === 'false' ? undefined : spec.default)
    }
  })
  it('shows defaults that are valid: a flag with its default changes nothing', () => {
    const configOf = (...argv: string[]): object => {
      const command = readCommandLine(['--oidc-issuer-url=https://issuer', '--oidc-client-id=client', ...argv])
      if (command.action !== 'serve') throw new Error(`asked for ${command.action}`)
      // The first distinguishes a given flag from its default. Deprecation warnings and the flags that /flagz shows are
      // independent of the default.
      const { access, observability, release, ...config } = command.config
      const { isAnonymousGiven: _, ...authentication } = access.authentication
      const { warnings: __, flags: ____, ...observed } = observability
      const { gates: ___, ...served } = release
      return { ...config, access: { ...access, authentication }, observability: observed, release: served }
    }
    const unset = configOf()
    for (const [name, spec] of Object.entries<FlagSpec>(FLAGS))
      if (spec.status === 'used' && spec.default !== undefined && name !== 'version')
        expect(configOf(`--${name}=${spec.default}`), name).to.deep.equal(unset)
  })
  it('shows the defaults of the given profile', () => {
    const help = readCommandLine(['--profile=apiserver', '--help'])
    expect(help).to.deep.equal({ action: 'help', profile: 'apiserver' })
    expect(usage('apiserver')).to.match(/--profile string .*\(default apiserver\)$/m)
  })
  it('shows the short names of flags', () => {
    expect(usage())
      .to.match(/^ {2}-h, --help /m)
      .and.match(/^ {2}-v, --v int /m)
  })
})
