import { type Authorizer, mayDo } from '../../meta/authorizer.ts'

/**
 * Reports whether the caller may use the verb on a signer, by its name or by its domain: `example.com/*`. `signers` is
 * not a served resource; it exists only for authorization.
 */
export async function maySign(authorizer: Authorizer, caller: Parameters<typeof mayDo>[1], verb: string, signer: string): Promise<boolean> {
  const ask = (name: string): Promise<boolean> =>
    mayDo(authorizer, caller, { verb, group: 'certificates.k8s.io', version: '*', resource: 'signers', name })
  return (await ask(signer)) || ask(`${signer.split('/', 1)[0]}/*`)
}
