import { expect, it } from 'vitest'
import { readCatalogue } from '../../queries/catalogue.ts'
import { cataloguePage } from '../../queries/catalogue-page.ts'

it('docs/queries.md says what the headers say', async () => {
  await expect(cataloguePage(readCatalogue())).toMatchFileSnapshot('../../docs/queries.md')
})
