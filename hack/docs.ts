/**
 * Makes the documentation: `write` puts the site into release/docs, and `verify` only checks the pages, their links and
 * the reference that the program gives.
 */
import { join } from 'node:path'
import { readDocumentation } from './docs/pages.ts'
import { ROOT } from './docs/repository.ts'
import { writeSite } from './docs/site.ts'

const documentation = await readDocumentation().catch((error: Error) => {
  console.error(error.message)
  process.exit(1)
})
if (process.argv[2] === 'write') console.log(`release/docs/index.html: ${writeSite(documentation, join(ROOT, 'release/docs'))} pages`)
else console.log(`${documentation.pages.size} pages, whose links lead somewhere`)
process.exit(0)
