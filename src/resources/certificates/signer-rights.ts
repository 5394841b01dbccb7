import { type Authorizer, mayDo } from '../../meta/authorizer.ts'

/** Rights on signers, by the signer's name or by its domain: `example.com/*`. They are no resource that is served. */
export async function maySign(authorizer: Authorizer, caller: Parameters<typeof mayDo>[1], verb: string, signer: string): Promise<boolean> {
  const ask = (name: string): Promise<boolean> => mayDo(authorizer, caller, { verb, group: 'certificates.k8s.io', version: '*', resource: 'signers', name })
  return (await ask(signer)) || ask(`${signer.split('/', 1)[0]}/*`)
}
