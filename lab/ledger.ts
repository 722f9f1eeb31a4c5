import { ORDER } from './order.ts'
import type { Warehouse } from './warehouse.ts'

export type Invoice = { order: string; reservation: string }

/** The book of invoices that went out. */
export class Ledger {
  readonly invoices: (Invoice & { key: string })[] = []

  /** Sends an invoice under a key; the same key again sends nothing new. */
  async send(invoice: Invoice, key: string): Promise<string> {
    if (!this.invoices.some((sent) => sent.key === key)) this.invoices.push({ ...invoice, key })
    return 'sent'
  }

  /** True if the customer got one invoice, and it names a reservation that this order really has. */
  keptTheRule(warehouse: Warehouse): boolean {
    const [invoice, ...more] = this.invoices.filter(({ order }) => order === ORDER)
    return more.length === 0 && warehouse.ours().some(({ id }) => id === invoice?.reservation)
  }
}
