import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { chosenKubeconfig } from '../../../src/clients/chosen-kubeconfig.ts'

describe('chosenKubeconfig', () => {
  const home = process.cwd()
  const directory = mkdtempSync(join(tmpdir(), 'chosen-'))
  before(() => process.chdir(directory))
  after(() => {
    process.chdir(home)
    rmSync(directory, { recursive: true })
  })
  const put = (path: string): void => {
    mkdirSync(join(directory, path, '..'), { recursive: true })
    writeFileSync(join(directory, path), '')
  }

  it('returns the first that exists, in the order of the help', () => {
    const environment = { HOME: directory }
    expect(() => chosenKubeconfig(undefined, environment)).to.throw(
      'no kubeconfig found: use --kubeconfig or $KUBECONFIG, because neither data/admin.kubeconfig in this directory nor ~/.kube/config exists',
    )
    put('.kube/config')
    expect(chosenKubeconfig(undefined, environment)).to.equal(join(directory, '.kube/config'))
    put('data/admin.kubeconfig')
    expect(chosenKubeconfig(undefined, environment)).to.equal('data/admin.kubeconfig')
    expect(chosenKubeconfig(undefined, { ...environment, KUBECONFIG: ':/a:/b' })).to.equal('/a')
    expect(chosenKubeconfig('given', { ...environment, KUBECONFIG: '/a' })).to.equal('given')
  })
})
