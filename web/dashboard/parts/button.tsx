// A push button.

import type { AllHTMLAttributes } from 'preact'

type Props = Omit<AllHTMLAttributes<HTMLButtonElement>, 'style'> & { style?: string }

export const Button = ({ style = '', children, ...rest }: Props) => (
  <button type="button" class={`button ${style}`} {...(rest as object)}>
    {children}
  </button>
)
