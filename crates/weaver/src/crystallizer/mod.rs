//! entity-crystallizer: folds fragments into the ledger and into dossiers.
