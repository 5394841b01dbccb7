import { expect } from 'chai'
import { mountOf, urlBelow } from '../../../../src/server/mounts/mount-path.ts'

describe('mountOf', () => {
  for (const [url, path, below] of [
    ['/binnacle/at/5/api/v1/pods?limit=1', '/binnacle/at/5', '/api/v1/pods?limit=1'],
    ['/binnacle/at/9007199254740991', '/binnacle/at/9007199254740991', '/'],
    ['/binnacle/branches/a-1/api', '/binnacle/branches/a-1', '/api'],
    ['/binnacle/branches/a?x=/b', '/binnacle/branches/a', '/?x=/b'],
    ['/binnacle/branches/a//api', '/binnacle/branches/a', '//api'],
    ['/binnacle/at/5/binnacle/at/6/api', '/binnacle/at/5', '/binnacle/at/6/api'],
    ['/binnacle/at/5/../../api', '/binnacle/at/5', '/../../api'],
  ] as const)
    it(`finds the mount of ${url}`, () => {
      const mount = mountOf(url)
      expect(mount?.path).to.equal(path)
      expect(mount && urlBelow(mount, url)).to.equal(below)
    })

  for (const url of [
    '/',
    '/api/v1/pods',
    '/binnacle/v1/branches',
    '/binnacle/at/',
    '/binnacle/at//api',
    '/binnacle/at/0/api',
    '/binnacle/at/05/api',
    '/binnacle/at/-5/api',
    '/binnacle/at/5e3/api',
    '/binnacle/at/9007199254740992/api',
    '/binnacle/at/99999999999999999999/api',
    '/binnacle/at/%35/api',
    '/binnacle/at/5%2fapi',
    '/binnacle//at/5/api',
    '//binnacle/at/5/api',
    '/Binnacle/at/5/api',
    '/binnacle/branches/A/api',
    '/binnacle/branches/-a/api',
    '/binnacle/branches/../api',
    '/binnacle/branches/a%2e/api',
    `/binnacle/branches/${'a'.repeat(64)}/api`,
  ])
    it(`finds none in ${url}`, () => expect(mountOf(url)).to.equal(undefined))
})
