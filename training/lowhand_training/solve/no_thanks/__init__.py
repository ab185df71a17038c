"""No Thanks! with few cards, solved by backward induction."""
